// Whether a secret is the name of a file. A key is no name to ask the system for: it would stand in audit
// logs and go to file servers. So what a folder lists is compared with it first.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

extension System {
  /// Whether a regular file is called so. No failure is told apart.
  static func isFile(named name: Secret) -> Bool {
    guard name.count <= 4096, !name.withBytes({ $0.contains(0) }), startsInFolder(name) else {
      return false
    }
    let path = Secret(count: name.count + 1) { out in name.withBytes { out.copyMemory(from: $0) } }
    var facts = stat()
    let isThere = path.withBytes { bytes in
      bytes.baseAddress.map { stat($0.assumingMemoryBound(to: CChar.self), &facts) == 0 } ?? false
    }
    return isThere && facts.st_mode & S_IFMT == S_IFREG
  }

  /// Whether the first part of a path is in the folder in which the path begins.
  private static func startsInFolder(_ name: Secret) -> Bool {
    name.withBytes { bytes in
      let isAbsolute = bytes.first == 0x2f
      let part = bytes.drop { $0 == 0x2f }.prefix { $0 != 0x2f }
      if part.elementsEqual(".".utf8) || part.elementsEqual("..".utf8) { return true }
      let names = (try? names(in: isAbsolute ? "/" : ".")) ?? []
      return names.contains { $0.utf8.elementsEqual(part) }
    }
  }
}
