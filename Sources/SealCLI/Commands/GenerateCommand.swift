// `dbseal generate`: writes the files that are made from the catalog. For those who build the
// tool; a test says when they have to be written again.

internal import SealCore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Writes generated files into a directory that exists.
enum GenerateCommand {
  /// Runs it; the exit status.
  static func run(_ parsed: ParsedCommand, _ session: Session) throws -> Int32 {
    guard parsed.operands.count == 2 else { throw UsageFlaw.generateKind("") }
    let (word, directory) = (parsed.operands[0], parsed.operands[1])
    guard let kind = GeneratedFiles.Kind(rawValue: word) else {
      throw UsageFlaw.generateKind(word)
    }
    for file in GeneratedFiles.all(kind) {
      let path = "\(directory)/\(file.name)"
      try write(file.content, to: path)
      if !parsed.has(Options.quiet) { session.console.result(path) }
    }
    return 0
  }

  private static func write(_ text: String, to path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw OutputFailure(path: path, errno: errno) }
    defer { close(descriptor) }
    let failure = SystemCalls.writeAll(Array(text.utf8), to: descriptor)
    if failure != 0 { throw OutputFailure(path: path, errno: failure) }
  }
}
