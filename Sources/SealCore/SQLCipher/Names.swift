// Names of tables, columns and indexes in SQL: quoted, and compared as SQLite compares them.

extension String {
  /// The name in double quotes, so that it means itself in a statement.
  var quoted: String {
    // By scalars: a combining character behind a quote would make another Character of it.
    var out = "\""
    for scalar in unicodeScalars {
      if scalar == "\"" { out.unicodeScalars.append(scalar) }
      out.unicodeScalars.append(scalar)
    }
    return out + "\""
  }

  /// Whether SQLite takes both for one name: the case of ASCII letters does not count.
  public func isSameName(as other: String) -> Bool {
    func folded(_ text: String) -> some Sequence<UInt8> {
      text.utf8.lazy.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }
    }
    return folded(self).elementsEqual(folded(other))
  }
}
