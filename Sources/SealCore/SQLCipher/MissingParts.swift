// What a schema needs and this engine lacks. SQLite names the first collation, function or module
// that it misses and stops there; with a stand-in for each it goes on to the next. The stand-ins
// are for compiling only: an index read through them would look damaged.

internal import CSQLCipher

/// Something that an application registers and this engine does not have.
public struct MissingPart: Sendable, Hashable {
  public enum Kind: String, Sendable { case collation, function, module, tokenizer }
  public var kind: Kind
  public var name: String
}

extension MissingPart {
  /// How SQLite says it, and what it says it of.
  private static let words: [(String, Kind)] = [
    ("no such collation sequence: ", .collation), ("unknown function: ", .function),
    ("no such function: ", .function), ("no such module: ", .module),
    ("unknown tokenizer: ", .tokenizer), ("no such tokenizer: ", .tokenizer),
  ]

  /// The part that `message` of SQLite misses; nil where it is about something else.
  init?(message: String) {
    for (words, kind) in Self.words {
      guard let range = message.utf8.firstRange(of: words.utf8) else { continue }
      let rest = message[range.upperBound...]
      let name = rest.hasSuffix("()") ? rest.dropLast(2) : rest
      self.init(kind: kind, name: String(name))
      return
    }
    return nil
  }
}

/// Compiles statements on a connection of its own, with stand-ins for what is missing.
final class MissingParts {
  /// More than any schema has.
  private static let limit = 1000

  private let connection: Connection
  private let found = Found()

  /// What the callback of SQLite writes to.
  private final class Found {
    var parts: [MissingPart] = []
    func add(_ part: MissingPart) {
      if parts.count < MissingParts.limit, !parts.contains(part) { parts.append(part) }
    }
  }

  /// Takes over `connection`: nothing may be read by it afterwards.
  init(_ connection: Connection) throws {
    self.connection = connection
    let db = try connection.open()
    sqlite3_collation_needed(db, Unmanaged.passUnretained(found).toOpaque()) {
      context, db, encoding, name in
      guard let context, let name else { return }
      // In a database in UTF-16 SQLite asks for its own too, before it takes those for UTF-8.
      guard !MissingParts.isBuiltIn(String(cString: name)) else { return }
      let found = Unmanaged<Found>.fromOpaque(context).takeUnretainedValue()
      found.add(MissingPart(kind: .collation, name: String(cString: name)))
      sqlite3_create_collation(db, name, encoding, nil) { _, _, _, _, _ in 0 }
    }
  }

  deinit {
    if let db = try? connection.open() { sqlite3_collation_needed(db, nil, nil) }
  }

  /// Whether SQLite has this collation itself.
  private static func isBuiltIn(_ collation: String) -> Bool {
    ["BINARY", "NOCASE", "RTRIM"].contains(collation.uppercased())
  }

  /// Compiles each of `statements` and says what they miss, in the order in which it was met.
  func parts(of statements: [String]) -> [MissingPart] {
    for sql in statements {
      // One round names at most one function; collations all come in one.
      for _ in 0..<Self.limit {
        guard let part = firstMissing(in: sql), !found.parts.contains(part) else { break }
        found.add(part)
        guard part.kind == .function, register(part.name) else { break }
      }
    }
    return found.parts
  }

  private func firstMissing(in sql: String) -> MissingPart? {
    do {
      _ = try Statement(connection, sql)
      return nil
    } catch SealError.engine(_, _, let message) {
      return MissingPart(message: message)
    } catch { return nil }
  }

  private func register(_ name: String) -> Bool {
    guard let db = try? connection.open() else { return false }
    // SQLITE_INNOCUOUS came with 3.31; before, the bit has no meaning.
    let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | 0x20_0000
    let code = sqlite3_create_function_v2(
      db, name, -1, flags, nil, { context, _, _ in sqlite3_result_null(context) }, nil, nil, nil)
    return ResultCode(code) == .ok
  }
}
