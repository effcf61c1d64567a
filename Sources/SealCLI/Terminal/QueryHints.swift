// What helps where a query is refused, or SQLite does not run it. SQLite tells its reasons apart only
// by its words (sqlite.org/c3ref/errcode.html).

internal import SealCore

/// Hints for queries.
enum QueryHints {
  /// SQLite's words, and what can be done.
  private static let words: [(String, String)] = [
    ("no such table", "--schema in the place of --query shows what there is"),
    ("no such column", "--schema in the place of --query shows what there is"),
    (
      "no such collation sequence",
      "an app defines it; COLLATE BINARY behind what is sorted or compared does without it"
    ),
    (
      "no such function",
      "an app or a newer SQLite defines it; leave it out, or decrypt the database and use that"
    ),
    (
      "tokenizer",
      "an app defines it; the text is in the tables that --tables shows, such as NAME_content"
    ),
    ("no such module", "an app or a newer SQLite defines it; other tables can be queried"),
  ]

  /// For SQLite's `message`; nil where its words say all.
  static func failed(_ message: String) -> String? {
    words.first { message.contains($0.0) }?.1
  }

  /// For what a query may not do.
  static func refused(_ action: String) -> String {
    // A query reads decoded pages over a layer of its own, where these would say something else.
    let inspected = ["journal_mode", "cipher_settings", "cipher_page_size", "kdf_iter"]
    if inspected.contains(where: { action == "PRAGMA \($0)" }) {
      return "inspect without --query says it of the file"
    }
    return "leave it out: a query only reads this database"
  }
}
