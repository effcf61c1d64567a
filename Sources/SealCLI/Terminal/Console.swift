// The only writer of both streams. Results go to standard output, everything else to standard
// error. Lines are made of spans; what stands in them is escaped, so that a file's name can
// neither move the cursor nor fake a line. A reader that went away is no error.

internal import SealCore
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Where a stream ends up.
struct Stream: Sendable {
  var isTerminal = false
  /// What is written goes nowhere.
  var isClosed = false
  /// Columns, asked for anew each time: a window may change.
  var width: @Sendable () -> Int = { 80 }
  /// Whether something that is drawn again and again may be: a job in the background may not.
  var isInFront: @Sendable () -> Bool = { true }
  /// Writes all of the bytes; answers 0 or an errno.
  var write: @Sendable ([UInt8]) -> Int32
}

/// A piece of a line.
struct Span: Sendable, Equatable {
  enum Style: String, Sendable {
    case plain = ""
    case error = "1;31"
    case note = "1;33"
    case hint = "1;36"
    case strong = "1"
  }
  let text: String
  let style: Style
  init(_ text: String, _ style: Style = .plain) {
    self.text = text
    self.style = style
  }
}

/// Both streams of the process. Threads may share it.
final class Console: Sendable {
  private struct State {
    var color = false
    /// Standard error knows the escape sequence that empties the rest of a line.
    var erases = false
    /// Columns of the longest progress line that stood there since a line of text.
    var drawn = 0
    var outputError: Int32 = 0
    /// What is said once.
    var said: Set<String> = []
  }

  private let output: Stream
  private let error: Stream
  private let state = Mutex(State())

  init(output: Stream, error: Stream) {
    self.output = output
    self.error = error
  }

  var outputIsTerminal: Bool { output.isTerminal }
  /// Answers go nowhere, and were never to go anywhere.
  var outputIsClosed: Bool { output.isClosed }
  var errorIsTerminal: Bool { error.isTerminal }

  /// The errno of the first write to standard output that failed, except for a closed pipe.
  var outputFailure: Int32? {
    let number = state.withLock { $0.outputError }
    return number == 0 || number == EPIPE ? nil : number
  }

  /// Turns color on standard error on or off. `dumb`: it knows no escape sequences.
  func setColor(_ display: Display, noColor: Bool, dumb: Bool) {
    let on = display == .always || (display == .auto && error.isTerminal && !noColor && !dumb)
    state.withLock { state in
      state.color = on
      state.erases = error.isTerminal && !dumb
    }
  }

  /// A line of the answer, on standard output.
  func result(_ line: String) { writeOutput(Self.escaped(line) + "\n") }

  /// Bytes of the answer as they are, for a file or a program. Not for a terminal.
  func raw(_ bytes: [UInt8]) {
    state.withLock { state in
      erase(&state)
      guard state.outputError == 0 else { return }
      state.outputError = output.write(bytes)
    }
  }

  /// A key that somebody asked to see, with its line feed, on standard output. Throws
  /// `OutputFailure` where nobody got it, which is worse than with any other answer.
  func secret(_ line: Secret) throws {
    if output.isClosed { throw OutputFailure(path: "standard output", errno: EBADF, hint: nil) }
    var bytes = line.withBytes { Array($0) }
    raw(bytes)
    bytes.withUnsafeMutableBytes { Secret.wipe($0) }
    let number = state.withLock { $0.outputError }
    if number != 0 { throw OutputFailure(path: "standard output", errno: number, hint: nil) }
  }

  /// Nobody reads the answer any more.
  var isDeaf: Bool { state.withLock { $0.outputError } != 0 }

  /// Columns of standard output.
  var outputWidth: Int { output.width() }
  /// Columns of standard error.
  var errorWidth: Int { error.width() }

  /// A text of our own with line feeds, on standard output.
  func page(_ text: String) { writeOutput(text) }

  /// A text of our own with line feeds, on standard error.
  func errorPage(_ text: String) {
    state.withLock { state in
      erase(&state)
      _ = error.write(Array(text.utf8))
    }
  }

  /// A line on standard error.
  func say(_ spans: [Span]) {
    state.withLock { state in
      erase(&state)
      let color = state.color
      let line = spans.map { span -> String in
        let text = Self.escaped(span.text)
        guard color, span.style != .plain else { return text }
        return "\u{1b}[\(span.style.rawValue)m\(text)\u{1b}[0m"
      }
      _ = error.write(Array((line.joined() + "\n").utf8))
    }
  }

  /// Whether nobody asked this of `text` before: it is said once, then.
  func isNew(_ text: String) -> Bool { state.withLock { $0.said.insert(text).inserted } }

  /// Draws the progress line anew; an empty one takes it away. It is cut to the width, and leaves
  /// the last column free, where some terminals would go on to the next line.
  func draw(progress line: String) {
    state.withLock { state in
      let cut = TextWidth.cut(Self.escaped(line), to: max(1, error.width() - 1))
      guard !cut.isEmpty else { return erase(&state) }
      guard error.isInFront() else { return }
      let columns = TextWidth.columns(cut)
      let rest = state.erases ? Self.eraseRest : blanks(columns, state)
      _ = error.write(Array("\r\(cut)\(rest)".utf8))
      state.drawn = max(state.drawn, columns)
    }
  }

  /// Takes all of the line away, on a terminal also what was typed meanwhile, or was left of a longer
  /// line when the window changed.
  private func erase(_ state: inout State) {
    guard state.drawn > 0 else { return }
    let rest = state.erases ? Self.eraseRest : blanks(0, state) + "\r"
    _ = error.write(Array("\r\(rest)".utf8))
    state.drawn = 0
  }

  private static let eraseRest = "\u{1b}[K"

  /// Blanks from that column to where the longest line ended.
  private func blanks(_ column: Int, _ state: State) -> String {
    String(
      repeating: " ", count: max(0, min(state.drawn, max(1, error.width() - 1)) - column))
  }

  private func writeOutput(_ text: String) {
    state.withLock { state in
      erase(&state)
      guard state.outputError == 0 else { return }
      state.outputError = output.write(Array(text.utf8))
    }
  }

  /// Control characters, and those that turn the direction of text, made visible.
  static func escaped(_ text: String) -> String {
    if text.utf8.allSatisfy({ (0x20..<0x7f).contains($0) }) { return text }
    var out = ""
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x0a: out += "\\n"
      case 0x0d: out += "\\r"
      case 0x09: out += "\\t"
      case 0..<0x20, 0x7f..<0xa0:
        out += "\\x" + String(String(0x100 + scalar.value, radix: 16).dropFirst())
      case 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069:
        out += "\\u{" + String(scalar.value, radix: 16) + "}"
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out
  }
}
