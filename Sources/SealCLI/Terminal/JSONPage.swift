// JSON for people and for git: on several lines, a field each.

extension JSON {
  /// The value on several lines, indented by two.
  var page: String { page(indent: 0) }

  private func page(indent: Int) -> String {
    let margin = String(repeating: " ", count: indent)
    func block(_ open: String, _ items: [String], _ close: String) -> String {
      items.isEmpty
        ? open + close
        : "\(open)\n" + items.map { margin + "  " + $0 }.joined(separator: ",\n")
          + "\n\(margin)\(close)"
    }
    switch self {
    case .array(let values): return block("[", values.map { $0.page(indent: indent + 2) }, "]")
    case .object(let fields):
      return block(
        "{",
        fields.map { "\(JSON.string($0.name).text): \($0.value.page(indent: indent + 2))" }, "}")
    default: return text
    }
  }
}
