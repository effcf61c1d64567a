// Overwrites a plaintext source after it was encrypted. An honest limit: flash storage and
// copy-on-write file systems keep old blocks whatever is written over a file (Docs/safety.md).

enum Shredder {
  /// Throws `.exists(.shared)` where overwriting source or sidecars would overwrite something else
  /// too: the content of another name. `force` allows it for the source alone.
  static func requireOwnFiles(_ path: String, force: Bool) throws {
    for sidecar in try Sidecars(of: path).present() {
      try requireOwn(try FileStatus.of(sidecar, followLinks: false), sidecar)
    }
    guard !force, let status = try FileStatus.of(path), status.links > 1 else { return }
    throw SealError.exists(path: path, .shared(canBeForced: true))
  }

  /// Overwrites the source, under its exclusive lock, and removes it with its sidecars.
  /// Throws `.notShredded`, because by now the output has its name.
  static func shred(_ source: Snapshot, _ plan: OutputPlan) throws {
    do {
      try overwriteAll(source)
    } catch SealError.io(let failure) {
      throw SealError.notShredded(target: plan.path, failure)
    } catch SealError.exists(let path, _) {
      throw SealError.notShredded(
        target: plan.path, IOFailure(.open, path: path, errno: SystemError.tooManyLinks))
    } catch SealError.changedWhileReading(let path) {
      throw SealError.notShredded(
        target: plan.path, IOFailure(.open, path: path, errno: SystemError.notFound))
    }
  }

  private static func overwriteAll(_ source: Snapshot) throws {
    // What has the name by now may be somebody's newer work.
    try source.requireNamed()
    for path in try Sidecars(of: source.path).present() {
      let file = try File(path, .readWriteItself)
      try requireOwn(try file.status(), path)
      try overwrite(file)
      try System.unlink(path)
    }
    try overwrite(source.file)
    try source.requireNamed()
    try System.unlink(source.path)
    try Path.syncFolder(Path.folder(of: source.path))
  }

  private static func requireOwn(_ status: FileStatus?, _ path: String) throws {
    guard let status, status.kind != .regular || status.links > 1 else { return }
    throw SealError.exists(path: path, .shared(canBeForced: false))
  }

  private static func overwrite(_ file: File) throws {
    let zeros = [UInt8](repeating: 0, count: 1 << 20)
    let size = try file.size()
    var position: UInt64 = 0
    while position < size {
      let count = Int(min(UInt64(zeros.count), size - position))
      try zeros.withUnsafeBytes {
        try file.write(at: position, UnsafeRawBufferPointer(rebasing: $0[..<count]))
      }
      position += UInt64(count)
    }
    try file.sync()
  }
}
