// The question every keyed open ends with: does this key, with these settings, open this file? The
// answer is a value, because "file is not a database" alone tells a user nothing.

/// What came of reading `sqlite_master`.
public enum ProbeOutcome: Sendable, Equatable {
  /// Opened, and the schema was read; the number of its rows.
  case ready(objects: Int)
  /// Wrong key, other cipher settings, or no database: the engine cannot tell these apart.
  case notADatabase
  /// The key is right, for the header could be read, but this engine cannot make sense of the
  /// schema: it is newer than the engine, or damaged. `message` is SQLite's.
  case schemaNotUnderstood(message: String)
  /// Others held a lock until the busy timeout ended.
  case busy
  /// The file could not be read, or one beside it not be made; the page may be to blame, too.
  case io(IOFailure)
  /// Anything else, in the engine's words.
  case failed(code: ResultCode, message: String)
}

extension Connection {
  /// Reads `sqlite_master`. Never throws for what the file is.
  func probe() -> ProbeOutcome {
    do {
      try settle()
      let statement = try Statement(unsettled: self, "SELECT count(*) FROM sqlite_master")
      guard try statement.step(), case .integer(let count) = statement.value(0) else {
        return .failed(code: .error, message: "sqlite_master gave no count")
      }
      return .ready(objects: Int(truncatingIfNeeded: count))
    } catch SealError.locked {
      return .busy
    } catch SealError.engine(_, let number, let message) {
      return judge(ResultCode(rawValue: number), message)
    } catch SealError.io(let failure) {
      return .io(failure)
    } catch {
      return .failed(code: .error, message: "\(error)")
    }
  }

  /// What a failure to read the schema means. `user_version` stands in the header, so reading it
  /// needs the key and not the schema; unless the header is plain: SQLite believes it then, and
  /// meets a wrong key in what follows it.
  private func judge(_ code: ResultCode, _ message: String) -> ProbeOutcome {
    switch code {
    case .notADatabase: return .notADatabase
    case .error, .corrupt:
      // About a schema SQLite has words of its own; about pages only those of the code.
      if message == code.text {
        return hasPlainHeader ? .notADatabase : .failed(code: code, message: message)
      }
      if hasPlainHeader || (try? run("PRAGMA user_version")) != nil {
        return .schemaNotUnderstood(message: message)
      }
      return .failed(code: code, message: message)
    default: return .failed(code: code, message: message)
    }
  }
}
