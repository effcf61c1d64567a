// How a statement that runs for minutes ends when the user asks for it: SQLite calls back every few
// thousand steps and asks whether to go on.

internal import CSQLCipher

extension Connection {
  /// Steps of SQLite's machine between two questions: some tenths of a millisecond.
  private static let steps: Int32 = 10_000

  /// From now on statements end with `SealError.interrupted` once `cancellation` asks for it.
  func stop(on cancellation: Cancellation) throws {
    let db = try open()
    stopping = cancellation
    // The connection keeps what the callback is given alive.
    sqlite3_progress_handler(
      db, Self.steps,
      { context in
        guard let context else { return 0 }
        let cancellation = Unmanaged<Cancellation>.fromOpaque(context).takeUnretainedValue()
        return cancellation.requested == nil ? 0 : 1
      }, Unmanaged.passUnretained(cancellation).toOpaque())
  }
}
