// Shows how far the work is while it goes on: a line on a terminal, drawn anew some times a second
// and gone at the end, or objects for a program. By a thread of its own, so that it moves while the
// work waits, and work that is done at once shows nothing.

internal import SealCore
internal import Synchronization

/// How progress is shown.
enum ProgressForm: String, Sendable, CaseIterable {
  case auto, always, never, json
  static let words = allCases.map(\.rawValue)
}

/// The display of one command line.
final class ProgressDisplay: Sendable {
  private let work: WorkProgress
  private let ticker: Ticker
  /// Says that all is done, where somebody is to know.
  private let last: (@Sendable () -> Void)?
  private let console: Console

  /// Seconds between two drawings, and between two objects.
  private static let drawing = 0.2
  private static let objects = 0.5
  /// Columns that stay free: the last, and those where the terminal shows a typed ^C.
  private static let margin = 3

  /// nil where nothing is to be shown.
  init?(
    _ form: ProgressForm, on session: Session, command: String, _ subjects: [String],
    shares: WorkProgress.Shares
  ) {
    let console = session.console
    switch form {
    case .never: return nil
    case .auto where !console.errorIsTerminal || session.dumbTerminal: return nil
    case .auto, .always, .json: break
    }
    let work = WorkProgress(
      subjects, sizes: subjects.map { FileMark.of($0)?.size ?? 0 }, shares: shares)
    let clock = ContinuousClock()
    let began = clock.now
    let view: @Sendable () -> WorkProgress.View = {
      let time = (clock.now - began).components
      return work.view(at: Double(time.seconds) + Double(time.attoseconds) / 1e18)
    }
    (self.work, self.console) = (work, console)
    if form == .json {
      last = {
        console.errorPage(ProgressLine(view()).json(command: command, isLast: true).text + "\n")
      }
      ticker = Ticker(every: Self.objects) {
        console.errorPage(ProgressLine(view()).json(command: command).text + "\n")
      }
    } else {
      last = nil
      ticker = Ticker(every: Self.drawing) {
        let line = ProgressLine(view()).text(width: max(1, console.errorWidth - Self.margin))
        if !line.isEmpty { console.draw(progress: line) }
      }
    }
  }

  /// What the work on one of the databases tells it.
  func show(_ index: Int, _ progress: SealCore.Progress) { work.show(index, progress) }

  /// Something came of one.
  func end(_ index: Int) { work.end(index) }

  /// Takes the line away. `isDone`: the work came to its end.
  func finish(isDone: Bool) {
    ticker.stop()
    console.draw(progress: "")
    if isDone { last?() }
  }

  deinit { ticker.stop() }
}
