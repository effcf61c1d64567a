// What this engine makes of a schema: which views and virtual tables it can use, and which
// collations, functions and modules it would need and lacks. Found by compiling statements, which
// reads the schema and no rows. An engine names what it misses one at a time, so this is as complete
// as compiling can be: a function that only a string names stays unknown.

/// Asks the engine about a schema.
struct EngineSurvey {
  let store: PageStore
  let path: String
  let context: OperationContext

  /// Fills in what the engine says. Never throws: what it cannot say stays nil.
  func run(_ facts: inout ContentFacts) {
    do {
      let pages = try DecodedPages(store, claimed: facts.header?.pageCount)
      let connection = try Connection(snapshot: pages, path: path)
      try connection.stop(on: context.cancellation)
      switch connection.probe() {
      case .ready: break
      case .schemaNotUnderstood(let message):
        facts.schemaMessage = message
        return
      // Damage: it is listed already, and the engine stops at it.
      case .failed, .io, .notADatabase, .busy: return
      }
      var statements: [String] = []
      for index in facts.objects.indices {
        let object = facts.objects[index]
        statements += Self.statements(object, facts.objects, connection)
        guard [.view, .virtualTable].contains(object.kind) else { continue }
        facts.objects[index].problem = problem(object, connection)
      }
      let parts = try MissingParts(Connection(snapshot: pages, path: path))
      var lacks = parts.parts(of: statements)
      // A connection that cannot write leaves CHECKs out (sqlite3AddCheckConstraint in build.c), so
      // the tables' own statements are compiled where they would be new ones.
      let creating = facts.objects.filter { $0.kind == .table && !$0.isInternal }.compactMap(\.sql)
      for part in try MissingParts(Connection(inMemory: path)).parts(of: creating)
      where !lacks.contains(part) { lacks.append(part) }
      facts.lacks = lacks
    } catch {}
  }

  private func problem(_ object: SchemaObject, _ connection: Connection) -> String? {
    do {
      _ = try Statement(connection, "SELECT * FROM \(object.name.quoted)")
      return nil
    } catch SealError.engine(_, _, let message) {
      return message
    } catch { return nil }
  }

  /// Statements whose compiling touches everything that belongs to an object: its columns and
  /// indexes, its CHECKs and defaults, and the triggers that writing to it would run.
  private static func statements(
    _ object: SchemaObject, _ all: [SchemaObject], _ connection: Connection
  ) -> [String] {
    let name = object.name.quoted
    switch object.kind {
    case .view, .virtualTable: return ["SELECT * FROM \(name)"]
    case .table where !object.isInternal:
      return ["SELECT * FROM \(name)", "INSERT INTO \(name) DEFAULT VALUES"]
    case .index where !object.isInternal:
      return ["SELECT * FROM \(object.table.quoted) INDEXED BY \(name)"]
    case .trigger:
      let table = object.table.quoted
      let columns = (try? connection.rows("PRAGMA table_info(\(table))")) ?? []
      let sets = columns.compactMap { $0.count > 1 ? $0[1].string : nil }.map {
        "\($0.quoted) = \($0.quoted)"
      }
      let update = sets.isEmpty ? [] : ["UPDATE \(table) SET \(sets.joined(separator: ", "))"]
      return ["DELETE FROM \(table)", "INSERT INTO \(table) DEFAULT VALUES"] + update
    default: return []
    }
  }
}
