// Overwrites a plaintext source after it was encrypted. An honest limit: flash storage and
// copy-on-write file systems keep old blocks whatever is written over a file (Docs/safety.md).

enum Shredder {
  /// Overwrites the source, under its exclusive lock, and removes it with its sidecars. In place
  /// its name already means the new file, and only the old bytes are overwritten.
  /// Throws `.notShredded`, because by now the output has its name.
  static func shred(_ source: Snapshot, _ plan: OutputPlan) throws {
    do {
      try overwriteAll(source, plan)
    } catch SealError.io(let failure) {
      throw SealError.notShredded(target: plan.path, failure)
    } catch SealError.changedWhileReading(let path) {
      throw SealError.notShredded(
        target: plan.path, IOFailure(.open, path: path, errno: SystemError.notFound))
    }
  }

  private static func overwriteAll(_ source: Snapshot, _ plan: OutputPlan) throws {
    // What has the name by now may be somebody's newer work.
    if !plan.isInPlace { try source.requireNamed() }
    if !plan.isInPlace {
      for path in try Sidecars(of: source.path).present() {
        try overwrite(try File(path, .readWrite))
        try System.unlink(path)
      }
    }
    try overwrite(source.file)
    guard !plan.isInPlace else { return }
    try source.requireNamed()
    try System.unlink(source.path)
    try Path.syncFolder(Path.folder(of: source.path))
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
