// What inspect found, as lines of text. The JSON is in InspectJSON.

internal import SealCore

/// One file, from outside and, where that was asked for, from inside.
struct InspectRendering {
  let file: FileFacts
  var content: ContentFacts?
  var depth = Inspect.Depth.contents

  init(file: FileFacts) { self.file = file }

  /// Things to know, a line each.
  var notes: [String] {
    let hasCommand = depth == .schema && content.map { SchemaText($0.objects).hasCommand } ?? false
    return (content?.notes ?? file.notes).map(ConversionRendering.sentence)
      + (hasCommand ? [SchemaText.commandNote] : [])
  }

  /// Prints it.
  func write(to console: Console, verbose: Bool) {
    if depth == .schema, let content {
      return SchemaText(content.objects).write(to: console)
    }
    for line in lines(verbose) { console.result(line) }
    if let content, depth == .map {
      for line in PageMapText(content, width: console.outputWidth).lines { console.result(line) }
    }
  }

  func lines(_ verbose: Bool) -> [String] {
    var lines = ["\(file.path): \(sentence)"]
    if content == nil || verbose {
      lines += file.reasons.map { "  because \(FileWords.sentence($0))" }
    }
    lines += outsideLines(verbose)
    if let content { lines += ContentText(content, verbose).lines(depth) }
    return lines
  }

  /// What the file is, in one line.
  var sentence: String {
    guard let content else { return FileWords.sentence(file) }
    let damaged = content.damageTotal > 0 ? ", damaged" : ""
    guard let profile = content.profile else { return "plaintext SQLite database" + damaged }
    return "SQLCipher database, \(profile.name)" + damaged
  }

  private func outsideLines(_ verbose: Bool) -> [String] {
    var lines: [String] = []
    func add(_ name: String, _ text: String?) {
      if let text { lines.append("  \(name): \(text)") }
    }
    add("link to", file.target)
    if file.special == nil {
      add("size", Diagnostics.count(file.size, "byte"))
    }
    if content == nil {
      add("page size", pageSize)
      add(
        "salt", file.salt.map { Hex.text($0) + (file.kind == .sqlcipher ? "" : ", if it is one") })
      if file.header == nil || verbose {
        add("first bytes", file.firstBytes.isEmpty ? nil : bytes)
      }
      if let header = file.header { lines += HeaderText(header).lines }
    }
    for sidecar in file.sidecars {
      let name = file.owner == nil && file.kind != .wal && file.kind != .journal
      add(name ? sidecar.suffix : "content", FileWords.sentence(sidecar))
    }
    add("belongs to", file.owner.map { $0.path + ($0.exists ? "" : ", which is not there") })
    add(
      "open in",
      file.holders.isEmpty
        ? nil : file.holders.map { "\($0.name) (\($0.id))" }.joined(separator: ", "))
    return lines
  }

  private var pageSize: String? {
    if let size = file.pageSize { return "\(size) bytes" }
    guard !file.pageSizes.isEmpty else { return nil }
    return file.pageSizes.map(String.init).joined(separator: ", ")
      + " (what its size allows; SQLCipher 4 writes 4096, earlier versions 1024)"
  }

  private var bytes: String {
    file.firstBytes.prefix(16).map { Hex.text([$0]) }.joined(separator: " ")
  }
}

/// The fields of a header as lines.
struct HeaderText {
  let header: HeaderFacts

  init(_ header: HeaderFacts) { self.header = header }

  var lines: [String] {
    let mode = header.isWAL ? "wal" : "rollback"
    let count =
      header.pageCount.map { Diagnostics.count(UInt64($0), "page") } ?? "pages not counted"
    let shape = "\(header.pageSize) bytes each, \(header.reserve) reserved"
    guard let rest = header.rest else {
      return [
        "  header: \(count), \(shape), journal: \(mode); what is behind its first 32 bytes is"
          + " encrypted"
      ]
    }
    let writer = Facts.version(rest.writer).map { ", last written by SQLite \($0)" } ?? ""
    return [
      "  header: \(count), \(rest.freePages) free, \(shape)",
      "  user_version: \(rest.userVersion), application_id: \(rest.applicationID)",
      "  encoding: \(rest.encoding ?? "not set"), auto_vacuum: \(rest.autoVacuum.rawValue),"
        + " journal: \(mode)\(writer)",
    ]
  }
}

/// The SQL text of a schema.
struct SchemaText {
  let objects: [SchemaObject]

  init(_ objects: [SchemaObject]) { self.objects = objects }

  /// What modules keep behind their virtual tables, by the module's name; running the virtual
  /// table's own statement makes it anew.
  private static let keeps: [String: [String]] = [
    "fts3": ["content", "segments", "segdir", "docsize", "stat"],
    "fts4": ["content", "segments", "segdir", "docsize", "stat"],
    "fts5": ["config", "content", "data", "docsize", "idx"],
    "rtree": ["node", "parent", "rowid"], "rtree_i32": ["node", "parent", "rowid"],
    "geopoly": ["node", "parent", "rowid"],
  ]

  /// Whether a line of it begins with a dot: the sqlite3 shell takes such a one for a command.
  var hasCommand: Bool {
    objects.contains { object in
      object.sql?.unicodeScalars.split(separator: "\n").contains { $0.first == "." } == true
    }
  }

  /// What to do about one.
  static let commandNote =
    "a line of the schema begins with a dot, and the sqlite3 shell may run it as a command:"
    + " sqlite3 -safe, unless the database is your own"

  private var shadows: Set<String> {
    Set(
      objects.flatMap { object in
        (Self.keeps[object.module?.lowercased() ?? ""] ?? []).map {
          "\(object.name.lowercased())_\($0)"
        }
      })
  }

  /// The statement with a semicolon that no comment at its end swallows.
  static func ended(_ sql: String) -> String {
    switch SqlEnding(sql) {
    case .code: sql + ";"
    case .line: sql + "\n;"
    case .block: sql + "*/;"
    }
  }

  /// Prints it: on a terminal escaped, else as it is, so that it can be run again.
  func write(to console: Console) {
    let made = shadows
    for object in objects where !object.isInternal && !made.contains(object.name.lowercased()) {
      guard let sql = object.sql else { continue }
      guard console.outputIsTerminal else {
        console.raw(Array((Self.ended(sql) + "\n").utf8))
        continue
      }
      // Line feeds are kept; everything else that a terminal acts on is shown.
      let lines = Self.ended(sql).unicodeScalars.split(
        separator: "\n", omittingEmptySubsequences: false)
      for line in lines { console.result(String(line).withTabsAsBlanks) }
    }
  }
}

extension String {
  fileprivate var withTabsAsBlanks: String {
    var out = ""
    for scalar in unicodeScalars {
      if scalar == "\t" { out += "  " } else { out.unicodeScalars.append(scalar) }
    }
    return out
  }
}
