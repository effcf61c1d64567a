// One read-only statement over a database of any format. It runs on decoded pages behind the
// read-only VFS, so neither the database nor what lies beside it can change.

/// A query and what it is given.
public struct Query: Sendable {
  /// A value for a parameter.
  public struct Parameter: Sendable {
    /// With or without the `:`, `@` or `$` before it; a number for `?1`.
    public var name: String
    public var value: Value
    public init(name: String, value: Value) {
      self.name = name
      self.value = value
    }
  }

  public var sql: String
  public var parameters: [Parameter]

  public init(sql: String, parameters: [Parameter]) {
    self.sql = sql
    self.parameters = parameters
  }
}

extension Inspect {
  /// Runs `query`: what opening the database told to `opened`, the names of the columns to `begin`, then
  /// each row to `row`. Answers what opening told, with the damage that did not matter. Throws `SealError.query` for a query that is not
  /// run, and what `contents` throws.
  public static func query(
    _ database: NamedDatabase, _ query: Query, _ context: OperationContext,
    opened: (ContentFacts) -> Void = { _ in }, begin: ([String]) throws -> Void,
    row: ([Value]) throws -> Void
  ) throws -> ContentFacts {
    let database = try VerifySource(database, context)
    opened(opening(of: database))
    guard database.header != nil else {
      throw database.damage.first.map { SealError.damaged($0) }
        ?? SealError.wrongKind(path: database.path, found: .other)
    }
    do {
      try QueryRun(database, context).run(query, begin, row)
      var facts = opening(of: database)
      facts.damage = database.damage
      if let damage = try database.logDamage(context) { facts.damage.append(damage) }
      facts.damageTotal = facts.damage.count
      return facts
    } catch SealError.damaged(let damage) {
      if case .structure(_, .pageOutside) = damage.flaw, database.size.isWrong,
        let size = database.damage.first
      {
        throw SealError.damaged(size)
      }
      let scan = PageScan(
        store: database.store,
        workers: max(1, context.threads(pages: database.store.pageCount)),
        cancellation: context.cancellation)
      throw SealError.damaged(damage.completed(by: scan))
    } catch SealError.engine(let name, let code, let message) where code & 0xff == 11 {
      // SQLite says that something is corrupt and not where.
      let found = try? contents(of: database, .map, context)
      if let damage = found?.damage.first { throw SealError.damaged(damage) }
      throw SealError.engine(path: name, code: code, message: message)
    }
  }
}

/// Runs a query on an open database.
private struct QueryRun {
  private let connection: Connection
  private let guardian: QueryGuard
  private let pages: DecodedPages

  init(_ database: VerifySource, _ context: OperationContext) throws {
    let path = database.path
    let workers = database.cipher == nil ? 0 : context.threads(pages: database.store.pageCount)
    pages = try DecodedPages(
      database.store, workers: workers, claimed: database.header?.pageCount,
      cancellation: context.cancellation)
    let connection = try Connection(snapshot: pages, path: path)
    try connection.stop(on: context.cancellation)
    try pages.explaining {
      switch connection.probe() {
      case .ready: break
      case .schemaNotUnderstood(let message):
        throw SealError.unsupported(.schema(message: message))
      case .notADatabase: throw SealError.wrongKind(path: database.path, found: .other)
      case .busy: throw SealError.locked(path: path, holders: [])
      case .io(let failure): throw SealError.io(failure)
      case .failed(let code, let message):
        throw SealError.engine(path: path, code: code.rawValue, message: message)
      }
    }
    self.connection = connection
    guardian = try QueryGuard(connection)
  }

  func run(_ query: Query, _ begin: ([String]) throws -> Void, _ row: ([Value]) throws -> Void)
    throws
  {
    let statement = try compile(query.sql)
    try bind(query.parameters, to: statement)
    try begin((0..<statement.columnCount).map { statement.columnName($0) })
    while try own({ try statement.step() }) { try row(statement.row) }
  }

  private func compile(_ sql: String) throws -> Statement {
    let statement = try own { try Statement(connection, sql) }
    guard !statement.isEmpty else { throw SealError.query(.empty) }
    guard !statement.hasTail else { throw SealError.query(.severalStatements) }
    guard statement.isReadOnly else { throw SealError.query(.notReadOnly) }
    return statement
  }

  /// What SQLite says of a statement is a mistake in the statement; what it says of the file is not.
  private func own<R>(_ body: () throws -> R) throws -> R {
    do {
      return try pages.explaining(body)
    } catch SealError.engine(let path, let code, let message) {
      if let action = guardian.refused { throw SealError.query(.refused(action: action)) }
      guard ![11, 26].contains(code & 0xff) else {
        throw SealError.engine(path: path, code: code, message: message)
      }
      throw SealError.query(.failed(message: message))
    }
  }

  private func bind(_ parameters: [Query.Parameter], to statement: Statement) throws {
    let names = statement.parameterNames
    // With `?2` alone there is a parameter 1 that nothing in the statement means.
    let hasNumbers = names.contains { $0?.hasPrefix("?") == true }
    let gaps = hasNumbers ? try statement.unusedParameters(of: names.count) : []
    var bound = Set<Int>()
    for parameter in parameters {
      let found = names.indices.filter { index in
        guard !gaps.contains(index) else { return false }
        guard let name = names[index] else { return parameter.name == String(index + 1) }
        let bare = String(name.dropFirst())
        return bare == parameter.name || name == parameter.name
      }
      guard !found.isEmpty else { throw SealError.query(.unknownParameter(parameter.name)) }
      guard bound.isDisjoint(with: found) else {
        throw SealError.query(.repeatedParameter(parameter.name))
      }
      for index in found {
        try statement.bind(parameter.value, at: index + 1)
        bound.insert(index)
      }
    }
    if let missing = names.indices.first(where: {
      !bound.contains($0) && !gaps.contains($0)
    }) {
      throw SealError.query(.missingParameter(names[missing] ?? "?\(missing + 1)"))
    }
  }
}
