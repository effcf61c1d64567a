// One line on standard error that says how far the work is, drawn anew several times a second and
// gone at the end.

internal import SealCore
internal import Synchronization

/// The progress of one operation.
final class ProgressLine: Sendable {
  private struct State {
    var phase: Progress.Phase?
    var began: ContinuousClock.Instant
    /// Bytes done when the phase began.
    var first: UInt64 = 0
  }

  private let console: Console
  private let subject: String
  private let state: Mutex<State>

  /// nil where no progress is to be shown.
  init?(_ display: Display, on console: Console, subject: String) {
    guard display == .always || (display == .auto && console.errorIsTerminal) else { return nil }
    self.console = console
    self.subject = subject
    state = Mutex(State(began: .now))
  }

  /// Draws how far it is.
  func show(_ progress: Progress) {
    let elapsed = state.withLock { state -> (seconds: Double, first: UInt64) in
      if state.phase != progress.phase {
        state = State(phase: progress.phase, began: .now, first: progress.done)
      }
      let time = (ContinuousClock.now - state.began).components
      return (Double(time.seconds) + Double(time.attoseconds) / 1e18, state.first)
    }
    let done = progress.done >= elapsed.first ? progress.done - elapsed.first : 0
    let line = Self.text(progress, since: elapsed.seconds, moved: done)
    console.draw(progress: "\(subject): \(line)")
  }

  /// Takes the line away.
  func finish() { console.draw(progress: "") }

  /// `converting 42%, 310 MiB/s, 3 s left`. `moved` bytes were done in `seconds`.
  static func text(_ progress: Progress, since seconds: Double, moved: UInt64) -> String {
    var line = progress.phase.rawValue
    guard progress.total > 0 else { return line }
    let share = Double(min(progress.done, progress.total)) / Double(progress.total)
    line += " \(Int(share * 100))%"
    guard seconds >= 0.5, moved > 0 else { return line }
    let rate = Double(moved) / seconds
    line += ", \(Diagnostics.bytes(UInt64(rate)))/s"
    let left = Double(progress.total - min(progress.done, progress.total)) / rate
    if left >= 1, left < 1e6 { line += ", \(Int(left)) s left" }
    return line
  }
}
