// The program that `make fuzz` runs: libFuzzer with one target, chosen by $FUZZ_TARGET. Compiled only
// where $DBSEAL_FUZZ is set (Package.swift).
import Foundation

/// libFuzzer's own loop. It reads its options from the arguments.
@_silgen_name("LLVMFuzzerRunDriver")
private func drive(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ test: @convention(c) (UnsafePointer<UInt8>, Int) -> CInt
) -> CInt

private let target: FuzzTarget = {
  let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
  guard let target = FuzzTarget.named(name) else {
    print("FUZZ_TARGET is one of: " + FuzzTarget.all.map(\.name).joined(separator: " "))
    exit(2)
  }
  return target
}()

/// What SwiftPM makes `main` of a program of this name.
@_cdecl("dbseal_fuzz_main")
public func fuzzMain(
  _ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
) -> CInt {
  var (count, arguments) = (count, arguments)
  if count == 2, arguments[1].map({ String(cString: $0) }) == "--list" {
    for target in FuzzTarget.all { print(target.name, target.longest) }
    return 0
  }
  return drive(&count, &arguments) { bytes, count in
    do {
      try target.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
    } catch {
      FileHandle.standardError.write(Data("\(target.name): \(error)\n".utf8))
      abort()
    }
    return 0
  }
}
