// Which SQLite a statement needs, told by its words. Asked only after an engine refused a statement:
// "syntax error" alone hides that another engine would take it. sqlite.org/changes.html

enum SqlNews {
  /// The version of the newest feature that `sql` shows and that SQLite `number` does not have yet,
  /// such as 3037000; nil where it shows none.
  static func needs(_ sql: String, beyond number: Int32) -> Int32? {
    let bytes = Array(sql.utf8)
    var tokens = SqlTokens(bytes, range: 0..<bytes.count)
    var words: [String] = []
    while let token = tokens.next() {
      switch token {
      case .word(let word): words.append(word)
      case .quoted: words.append("''")
      case .semicolon: words.append(";")
      case .other(let byte): words.append(String(UnicodeScalar(byte)))
      }
    }
    let found = features.filter { $0.since > number && shows($0.words, in: words) }
    return found.map(\.since).max()
  }

  /// `3037000` as `3.37`.
  static func text(_ number: Int32) -> String {
    let patch = number % 1000
    let version = "\(number / 1_000_000).\(number / 1000 % 1000)"
    return patch == 0 ? version : "\(version).\(patch)"
  }

  private static func shows(_ wanted: [String], in words: [String]) -> Bool {
    guard words.count >= wanted.count else { return false }
    return (0...(words.count - wanted.count)).contains { start in
      words[start..<(start + wanted.count)].elementsEqual(wanted)
    }
  }

  private static let features: [(words: [String], since: Int32)] = [
    (["DO", "NOTHING"], 3_024_000), (["DO", "UPDATE"], 3_024_000),
    (["RENAME", "COLUMN"], 3_025_000), (["OVER", "("], 3_025_000), (["WINDOW"], 3_025_000),
    (["NULLS", "FIRST"], 3_030_000), (["NULLS", "LAST"], 3_030_000),
    (["GENERATED", "ALWAYS"], 3_031_000), ([")", "STORED"], 3_031_000),
    ([")", "VIRTUAL"], 3_031_000), (["DROP", "COLUMN"], 3_035_000),
    (["RETURNING"], 3_035_000), (["AS", "MATERIALIZED"], 3_035_000),
    ([")", "STRICT"], 3_037_000), ([",", "STRICT"], 3_037_000), (["-", ">"], 3_038_000),
    (["FULL", "JOIN"], 3_039_000), (["FULL", "OUTER"], 3_039_000), (["RIGHT", "JOIN"], 3_039_000),
    (["DISTINCT", "FROM"], 3_039_000),
  ]
}
