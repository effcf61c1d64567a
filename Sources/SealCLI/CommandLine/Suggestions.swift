// "Did you mean": the nearest known word, where one is near enough to be meant.

/// Finds the word that was probably meant.
enum Suggestions {
  /// The nearest of `words`: one that the text begins, or at most a third of its letters away.
  static func nearest(to text: String, among words: [String]) -> String? {
    let typed = Array(text.utf8.prefix(64))
    guard !typed.isEmpty else { return nil }
    let limit = max(1, min(3, typed.count / 3))
    let ranked = words.map { (word: $0, distance: distance(typed, Array($0.utf8))) }
    if let best = ranked.min(by: { $0.distance < $1.distance }), best.distance <= limit {
      return best.word
    }
    let begun = words.filter { typed.count >= 3 && $0.utf8.starts(with: typed) }
    return begun.min { $0.utf8.count < $1.utf8.count }
  }

  /// The same for the name of an option. What it has now is asked for by the bare name, where its
  /// successor is called `new-`.
  static func option(for text: String, among names: [String]) -> String? {
    for before in ["old-", "current-"] where text.hasPrefix(before) {
      let bare = String(text.dropFirst(before.utf8.count))
      if let name = names.first(where: { OptionValues.same($0, bare) }) { return name }
    }
    return nearest(to: text, among: names)
  }

  /// Edits between two words: insertions, deletions, substitutions and swaps of neighbors.
  static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        let substituted = last[j] + (a[i] == b[j] ? 0 : 1)
        var best = min(substituted, last[j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          best = min(best, beforeLast[j - 1] + 1)
        }
        row.append(best)
      }
      beforeLast = last
      last = row
    }
    return last[b.count]
  }
}
