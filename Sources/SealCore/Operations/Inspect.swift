// inspect: what a file is, and what is in it. Nothing is written, and nothing is made beside it.

/// Looks at a file or into a database.
public enum Inspect {
  /// How far to look inside.
  public enum Depth: Sendable {
    /// Settings, header, and the schema as it stands.
    case schema
    /// And the trees: rows, sizes, what the engine lacks.
    case contents
    /// And the use of every page.
    case map
  }

  /// What can be said without a key, in an instant. Throws `.io`.
  public static func look(_ path: String) throws -> FileFacts { try Survey(path).facts() }

  /// What is inside. Throws `SealError`, for instance `.wrongKey`; damage is a part of the answer.
  public static func contents(
    of database: NamedDatabase, _ depth: Depth, _ context: OperationContext
  ) throws -> ContentFacts {
    let database = try VerifySource(database, context)
    let facts = try contents(of: database, depth, context)
    try database.snapshot.requireUnchanged()
    return facts
  }

  /// What is inside an open database.
  static func contents(
    of database: VerifySource, _ depth: Depth, _ context: OperationContext
  ) throws -> ContentFacts {
    var facts = opening(of: database)
    try ContentSurvey(database: database, context: context).run(depth, &facts)
    if depth != .schema, let damage = try database.logDamage(context) {
      facts.damage.append(damage)
      facts.damageTotal += 1
    }
    try context.cancellation.check()
    return facts
  }

  /// What opening a database tells.
  static func opening(of database: VerifySource) -> ContentFacts {
    var facts = ContentFacts()
    facts.pageSize = database.cipher?.profile.pageSize ?? database.header?.pageSize
    facts.profile = database.cipher?.profile
    facts.salt = database.cipher?.salt
    facts.openingPragmas = database.cipher.map { $0.profile.pragmas(salt: $0.salt) } ?? []
    facts.header = database.header.map(HeaderFacts.init)
    facts.pages = database.store.pageCount
    facts.notes = database.notes
    return facts
  }
}

extension VerifySource {
  /// What is broken in the log beside it: what stands there is not part of what is read.
  func logDamage(_ context: OperationContext) throws -> Damage? {
    try LogCheck(source: self, context: context).run()?.damage(path)
  }

  /// What stood in the way of opening it as a sound one.
  var damage: [Damage] {
    var flaws: [Damage.Flaw] = []
    if let flaw {
      flaws.append(flaw)
    } else if header == nil {
      flaws.append(.pages([1], total: 1, pagesInFile: store.pageCount))
    }
    if let flaw = snapshot.journalFlaw { flaws.append(.journal(flaw)) }
    if size.isWrong {
      flaws.append(.size(actual: size.actual, expected: size.expected ?? size.actual))
    }
    if size.isEmptied { flaws.append(.emptied(expected: size.expected ?? 0)) }
    return flaws.map { Damage(path: path, flaw: $0) }
  }
}

extension LogFinding {
  /// What is broken in the log beside the database `path`; nil where nothing is.
  func damage(_ path: String) -> Damage? {
    guard isDamaged else { return nil }
    return Damage(
      path: path,
      flaw: .log(firstBad: firstBad, lostCommits: lostCommits, badTags: badTags.count))
  }
}

/// Walks a database for Inspect.
private struct ContentSurvey {
  let database: VerifySource
  let context: OperationContext

  private var path: String { database.snapshot.path }
  /// Threads that read ahead; one is enough where nothing is decrypted.
  private var workers: Int {
    let wanted = context.threads(pages: database.store.pageCount)
    return database.cipher == nil ? min(1, wanted) : wanted
  }

  func run(_ depth: Inspect.Depth, _ facts: inout ContentFacts) throws {
    guard let header = database.header else {
      let scan = PageScan(
        store: database.store, workers: max(1, workers), cancellation: context.cancellation)
      return add(database.damage.map { $0.completed(by: scan) }, &facts)
    }
    let meter = ProgressMeter(.reading, total: database.store.bytes, context.progress)
    let reader = try ReadAhead(
      database.store, workers: depth == .schema ? 0 : workers,
      meter: depth == .schema ? nil : meter, cancellation: context.cancellation)
    defer { reader.stop() }
    let map = PageMap(of: reader, geometry: header.geometry)
    var rows: [SchemaEntry] = []
    var trees: [TreeUsage?] = []
    _ = try map.walk(1) { payload in
      guard var row = SchemaEntry(payload, encoding: header.encoding) else { return false }
      let record = SchemaRecord(payload, total: payload.count)
      row.root = record?.root ?? row.root
      rows.append(row)
      return record != nil
    }
    if depth != .schema {
      for row in rows {
        try context.cancellation.check()
        trees.append(row.root > 1 ? try map.walk(row.root) : nil)
      }
      try finish(map, header, reader)
    }
    facts.objects = rows.enumerated().map { index, row in
      object(row, index < trees.count ? trees[index] : nil)
    }
    add(
      database.damage + map.damage.map { Damage(path: path, flaw: $0) }, &facts)
    facts.damageTotal += map.damageCount - map.damage.count
    if depth == .map { facts.map = map.uses }
    if depth == .contents {
      EngineSurvey(store: database.store, path: path, context: context).run(&facts)
    }
  }

  /// The pages that no tree led to.
  private func finish(_ map: PageMap, _ header: DatabaseHeader, _ reader: ReadAhead) throws {
    try map.walkFreeList(from: header.firstFreeTrunk, count: header.freePages)
    if header.hasAutoVacuum { map.markPointerMaps() }
    if map.damageCount > 0 { map.leaveRestOpen() }
    reader.stop()
    let scan = PageScan(
      store: database.store, workers: max(1, workers), cancellation: context.cancellation)
    for number in try scan.run(skipping: reader.visited).forged {
      map.note(number, .pages([number], total: 1, pagesInFile: database.store.pageCount))
    }
  }

  /// Pages whose tag fails become one finding.
  private func add(_ found: [Damage], _ facts: inout ContentFacts) {
    var forged: Set<UInt32> = []
    var total = 0
    for damage in found {
      if case .pages(let pages, let count, _) = damage.flaw {
        let new = pages.filter { forged.insert($0).inserted }
        total += new.count + max(0, count - pages.count)
      } else {
        facts.damage.append(damage)
        facts.damageTotal += 1
      }
    }
    guard total > 0 else { return }
    let flaw = Damage.Flaw.pages(
      Array(forged.sorted().prefix(Damage.limit)), total: total,
      pagesInFile: database.store.pageCount)
    facts.damage.insert(Damage(path: path, flaw: flaw), at: 0)
    facts.damageTotal += total
  }

  private func object(_ row: SchemaEntry, _ tree: TreeUsage?) -> SchemaObject {
    let module = row.sql.flatMap { VirtualTable.module(in: $0) }
    let kind: SchemaObject.Kind =
      switch row.type {
      case "table": row.root == 0 && module != nil ? .virtualTable : .table
      case "index": .index
      case "view": .view
      case "trigger": .trigger
      default: .other
      }
    let usage = tree.map {
      SchemaObject.Usage(
        rows: $0.rows, pages: $0.pages, bytes: UInt64($0.pages) * UInt64(database.store.pageSize),
        isPartial: $0.isPartial)
    }
    return SchemaObject(
      kind: kind, name: row.name, table: row.table, sql: row.sql, usage: usage,
      module: kind == .virtualTable ? module : nil)
  }
}
