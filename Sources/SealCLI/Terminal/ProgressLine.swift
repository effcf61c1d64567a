// How far the work is, in words that fit a terminal's line, or as an object for a program.

internal import SealCore

/// A moment of the work, said.
struct ProgressLine {
  let view: WorkProgress.View

  init(_ view: WorkProgress.View) { self.view = view }

  /// `app.db: converting 42%, 310 MiB/s, 3 s left`, or of several `12 of 40 done, 42%, 310 MiB/s, 3 s
  /// left; app.db: proving`, in at most `width` columns: what tells least goes first. Empty where
  /// nothing is going on.
  func text(width: Int) -> String {
    guard let phase = view.phase, let subject = view.subject else { return "" }
    let what = Self.words(phase)
    let all = [percent, rate, left].compactMap { $0 }
    let few = [percent, left].compactMap { $0 }
    var lines: [(before: String, after: String)]
    if view.count > 1 {
      let counts = "\(view.ended) of \(view.count) done"
      lines = [all, few, percent.map { [$0] } ?? []].flatMap { facts in
        let facts = ([counts] + facts).joined(separator: ", ")
        return [("\(facts); ", ": \(what)"), (facts, "")]
      }
      lines.append((counts, ""))
    } else {
      // The percentage belongs to the word before it.
      lines = [all, few, percent.map { [$0] } ?? []].map { facts in
        let facts = facts.joined(separator: ", ")
        return ("", ": \(what)\(facts.isEmpty ? "" : " ")\(facts)")
      }
    }
    let name = Console.escaped(subject)
    let least = min(Self.shortest, TextWidth.columns(name))
    for (before, after) in lines {
      let room = width - TextWidth.columns(before) - TextWidth.columns(after)
      if after.isEmpty, room >= 0 { return before }
      if !after.isEmpty, room >= least { return before + TextWidth.tail(name, of: room) + after }
    }
    return TextWidth.cut(percent ?? what, to: width)
  }

  /// Columns of the shortest end of a name that tells anything.
  private static let shortest = 12

  private var percent: String? {
    guard view.done > 0 else { return nil }
    return "\(Int(Double(view.done) / Double(view.total) * 100))%"
  }

  private var rate: String? { view.rate.map { "\(Diagnostics.bytes(UInt64($0)))/s" } }

  private var left: String? { view.left.flatMap { $0 < 1 || $0 > 1e7 ? nil : Self.time($0) } }

  /// Seconds as people say them, with no more places than such a guess has.
  static func time(_ seconds: Double) -> String {
    let whole = Int(min(max(seconds, 0), 1e9))
    switch whole {
    case ..<90: return "\(whole) s left"
    case ..<5400: return "\((whole + 30) / 60) min left"
    default: return "\(whole / 3600) h \(whole % 3600 / 60) min left"
    }
  }

  private static func words(_ phase: SealCore.Progress.Phase) -> String {
    switch phase {
    case .deriving: "deriving the key"
    case .checking: "checking pages"
    case .structure: "checking structure"
    case .content: "reading content"
    case .converting, .syncing, .proving, .reading: phase.rawValue
    }
  }

  /// The object for `--progress json`. `isLast`: all is done.
  func json(command: String, isLast: Bool = false) -> JSON {
    func number(_ value: Double?) -> JSON { value.map { .integer(Int64($0)) } ?? .null }
    return .object([
      .init(
        "progress",
        .object([
          .init("command", .string(command)),
          .init("phase", isLast ? .string("done") : .optional(view.phase?.rawValue)),
          .init("file", .optional(view.subject)), .init("files", .integer(view.count)),
          .init("files_done", .integer(view.ended)), .init("done", .unsigned(view.done)),
          .init("total", .unsigned(view.total)), .init("rate", number(view.rate)),
          .init("seconds_left", isLast ? .integer(0) : number(view.left)),
        ]))
    ])
  }
}
