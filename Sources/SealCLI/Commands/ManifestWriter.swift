// A manifest of what was just found: everything that is the same for the same content, one field a line,
// sorted, so that a change of a fixture is a change of a few lines.

internal import SealCore
internal import Synchronization

/// Gathers reports and writes them as a manifest, a new one or the one that was read. Threads may share it.
final class ManifestWriter: Sendable {
  /// An entry as it is to be.
  private struct Entry: Sendable {
    let file: String
    /// By the name that this process has for it.
    let path: String
    let fields: [JSON.Field]
    /// The one that is read says something else.
    var isChanged = false
    var hasPassed = true
  }

  let path: String
  /// The manifest is the one that is checked.
  let refreshes: Bool
  private let replaces: Bool
  /// What is written: a refresh follows links, as reading does.
  private let place: String
  /// The file as it was before anything was read of it.
  private let mark: FileMark?
  /// What stands in a manifest that is to be replaced.
  private let before: [ManifestObject]
  private let entries = Mutex([Entry]())

  /// Throws where it has no place; nil where none is asked for.
  init?(_ parsed: ParsedCommand, _ cancellation: Cancellation) throws {
    guard let path = parsed.text(VerifyOptions.writeManifest) else { return nil }
    // What it lists is relative to where it is.
    guard !OptionValues.same(path, "-") else {
      throw UsageFlaw.badValue(
        VerifyOptions.writeManifest.flag, value: path, allowed: "the name of a file")
    }
    let read = parsed.text(VerifyOptions.manifest)
    if let read, SourceCheck.oneFile(among: [read, path]) == nil {
      throw UsageFlaw.otherManifest(read)
    }
    if let report = parsed.text(VerifyOptions.reportFile),
      SourceCheck.oneFile(among: [report, path]) != nil
    {
      throw UsageFlaw.exclusive(
        "\(VerifyOptions.reportFile.flag) \(report)",
        "\(VerifyOptions.writeManifest.flag) \(path)", because: "both name one file")
    }
    self.path = path
    refreshes = read != nil
    replaces = parsed.has(VerifyOptions.replace) || refreshes
    mark = FileMark.of(path)
    place = try refreshes ? TextFile.behind(path) : path
    do {
      try TextFile.requirePlace(place, isOwn: Manifest.isManifest)
    } catch SealError.exists(let path, .foreign) { throw ManifestObstacle.foreign(path) }
    let isThere = mark.map { $0.size > 0 } ?? false
    guard replaces || !isThere else { throw ManifestObstacle.there(path) }
    guard isThere, !refreshes else {
      before = []
      return
    }
    do {
      before = try Manifest.entries(in: Manifest.bytes(of: path, cancellation), path)
    } catch let flaw as ManifestFlaw {
      throw ManifestObstacle.unreadable(path, line: flaw.line)
    }
  }

  /// Throws where the manifest that is there says more than one of `tasks` can.
  func requireNothingLost(to tasks: [VerifyTask]) throws {
    let always = [ManifestFields.file, ManifestFields.encrypted] + ManifestFields.facts
    let sealed = [ManifestFields.name(CipherOptions.examined.format)]
    try requireNothingLost(
      to: tasks.map { task in
        let given = ManifestFields.plain.filter { field(of: $0, in: task) != nil }
        let names = always + sealed + given.map(ManifestFields.name)
        return (task.path, Dictionary(names.map { ($0, nil) }, uniquingKeysWith: { a, _ in a }))
      })
  }

  private func requireNothingLost(to new: [(String, [String: JSON?])]) throws {
    let loss = ManifestObstacle.Loss(before, path, to: new)
    if loss.lost > 0 || !loss.fields.isEmpty { throw ManifestObstacle.loses(path, loss) }
  }

  /// The next database, and what its entry will say otherwise.
  func add(
    _ task: VerifyTask, _ report: VerifyReport, _ settled: [ExpectationsVerdict.Difference],
    passed: Bool
  ) {
    guard refreshes else {
      let fields = fields(task, report)
      let file = ManifestPaths.relative(task.path, to: path)
      return entries.withLock { $0.append(Entry(file: file, path: task.path, fields: fields)) }
    }
    guard passed, task.isRefreshed, let entry = task.entry else {
      return keep(task, passed: passed)
    }
    let fields = ManifestRefresh(entry: entry, report: report, settled: settled).fields
    let isChanged = fields != entry.members.map { JSON.Field($0.name, JSON($0.value)) }
    entries.withLock {
      $0.append(Entry(file: task.title, path: task.path, fields: fields, isChanged: isChanged))
    }
  }

  /// The next database, whose entry stays as it is.
  func keep(_ task: VerifyTask, passed: Bool) {
    guard let entry = task.entry else { return }
    let fields = entry.members.map { JSON.Field($0.name, JSON($0.value)) }
    entries.withLock {
      $0.append(Entry(file: task.title, path: task.path, fields: fields, hasPassed: passed))
    }
  }

  private func fields(_ task: VerifyTask, _ report: VerifyReport) -> [JSON.Field] {
    let file = ManifestPaths.relative(task.path, to: path)
    var fields = [JSON.Field(ManifestFields.file, .string(file))]
    fields.append(.init(ManifestFields.encrypted, .bool(report.profile != nil)))
    fields += options(of: task, report)
    func add(_ option: OptionSpec, _ value: JSON?) {
      if let value { fields.append(.init(ManifestFields.name(option), value)) }
    }
    add(VerifyOptions.userVersion, report.userVersion.map { .integer(Int64($0)) })
    add(VerifyOptions.applicationID, report.applicationID.map { .integer(Int64($0)) })
    if let content = report.content.fingerprint {
      add(VerifyOptions.expectDigest, .hex(content.digest))
      fields.append(.init(ManifestFields.tables, .object(Self.tables(content))))
    }
    return fields
  }

  /// Writes it, and says whether it did. A new one needs that all databases passed.
  func write(after outcome: Batch.Outcome, on console: Console, _ batch: Batch) throws {
    var isWritten = false
    let entries = entries.withLock { $0 }
    let changed = entries.filter(\.isChanged)
    defer {
      if batch.asJSON {
        let counts: [JSON.Field] = [
          .init("entries", .integer(entries.count)),
          .init("changed", .integer(isWritten ? changed.count : 0)),
        ]
        console.result(
          JSON.object(
            [.init("manifest", .string(path)), .init("written", .bool(isWritten))]
              + (refreshes ? counts : [])
          ).text)
      }
    }
    func say(_ words: String) {
      guard !batch.asJSON, !batch.quiet else { return }
      console.say([Span("note: ", .note), Span("\(path): \(words)")])
    }
    guard outcome.interruption == nil else {
      return say("not written, because the run was stopped")
    }
    if refreshes {
      if !changed.isEmpty {
        guard FileMark.of(path) == mark else { throw SealError.changedWhileReading(path: path) }
        try put(entries)
        isWritten = true
      }
      return say(Self.words(changed.map(\.file), entries.count, entries.count { !$0.hasPassed }))
    }
    guard outcome.failures == 0, outcome.status == 0 else {
      return say("not written, because not all passed")
    }
    try requireNothingLost(
      to: entries.map { entry in
        (
          entry.path,
          Dictionary(entry.fields.map { ($0.name, $0.value) }, uniquingKeysWith: { a, _ in a })
        )
      })
    try put(entries.sorted { $0.file.utf8.lexicographicallyPrecedes($1.file.utf8) })
    isWritten = true
    say("written, with \(Diagnostics.count(UInt64(entries.count), "database"))")
  }

  private func put(_ entries: [Entry]) throws {
    let manifest = JSON.object([
      .init(Manifest.versionField, .integer(Manifest.version)),
      .init(Manifest.listField, .array(entries.map { .object($0.fields) })),
    ])
    try TextFile.make(place, manifest.page + "\n", asBefore: refreshes) {
      replaces && Manifest.isManifest($0)
    }
  }

  /// What a refresh changed of `count` entries.
  private static func words(_ changed: [String], _ count: Int, _ failed: Int) -> String {
    let all = count == 1 ? "1 entry" : "\(count) entries"
    let names = changed.prefix(5).joined(separator: ", ") + (changed.count > 5 ? ", …" : "")
    let kept =
      failed == 0
      ? "" : "; \(failed) did not pass and \(failed == 1 ? "stays as it was" : "stay as they were")"
    guard changed.isEmpty else {
      return "written: \(changed.count) of \(all) changed (\(names))\(kept)"
    }
    return "not written: none of \(all) changed\(kept)"
  }

  /// What opens it and how it was checked, as the options said.
  private func options(of task: VerifyTask, _ report: VerifyReport) -> [JSON.Field] {
    var fields: [JSON.Field] = []
    for option in ManifestFields.plain {
      let isAboutKey = ManifestFields.key.contains(option)
      if isAboutKey || option.section == .cipher, report.profile == nil { continue }
      var value = field(of: option, in: task)
      if option == CipherOptions.examined.format, let number = report.profile?.formatNumber {
        value = .integer(number)
      }
      if let value { fields.append(.init(ManifestFields.name(option), value)) }
    }
    return fields
  }

  private func field(of option: OptionSpec, in task: VerifyTask) -> JSON? {
    task.parsed.values[option.name].flatMap { json($0, option) }
  }

  private func json(_ value: ParsedCommand.Value, _ option: OptionSpec) -> JSON? {
    switch value {
    case .flag: return .bool(true)
    case .text(let text):
      // Standard input is another one next time.
      if option == KeyOptions.database.file {
        return OptionValues.same(text, "-")
          ? nil : .string(ManifestPaths.relative(text, to: path))
      }
      // A choice of numbers; the name of a variable stays a text, whatever it looks like.
      if case .choice = option.value, let number = Int64(text) { return .integer(number) }
      return .string(text)
    case .texts: return nil
    case .integer(let number): return .integer(number)
    case .seconds(let number): return .real(number)
    case .bytes(let bytes): return .hex(bytes)
    }
  }

  /// Those that a schema names; SQLite's own come and go.
  static func tables(_ content: ContentFingerprint) -> [JSON.Field] {
    let own = content.counts.compactMap { count in
      count.table.flatMap { $0.utf8.starts(with: "sqlite_".utf8) ? nil : ($0, count.rows) }
    }
    return own.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }.map {
      JSON.Field($0.0, .unsigned($0.1))
    }
  }
}
