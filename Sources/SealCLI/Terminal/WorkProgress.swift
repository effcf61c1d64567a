// How far the databases of one command line are, as numbers: each counts by its bytes, and each
// phase of the work on one by its usual share of the time. So there is one measure for one database
// and for ten thousand, it never goes back, and it ends with all that there was. Nothing is drawn
// here.

internal import SealCore
internal import Synchronization

/// The progress of one command line.
final class WorkProgress: Sendable {
  /// Where in the work on a database a phase begins and ends.
  typealias Shares = [SealCore.Progress.Phase: ClosedRange<Double>]

  /// What can be said at a moment.
  struct View: Equatable {
    /// What was told of last; nil between two databases.
    var phase: SealCore.Progress.Phase?
    var subject: String?
    /// Databases, and those that something came of.
    var count: Int
    var ended: Int
    /// Bytes of all databases, and of those what is done.
    var done: UInt64
    var total: UInt64
    /// Bytes a second, and seconds until the end; nil where that would be a guess.
    var rate: Double?
    var left: Double?
  }

  private struct State {
    var phase: SealCore.Progress.Phase?
    /// The database that was told of last.
    var current = 0
    /// How far each is, from 0 to 1.
    var fractions: [Double]
    var ended = 0
    /// Bytes that are done.
    var done = 0.0
    var pace = Pace()
  }

  private let subjects: [String]
  private let sizes: [Double]
  private let total: UInt64
  private let shares: Shares
  private let state: Mutex<State>

  /// `sizes`: bytes of the databases `subjects`.
  init(_ subjects: [String], sizes: [UInt64], shares: Shares) {
    self.subjects = subjects
    self.sizes = sizes.map { Double($0) }
    self.shares = shares
    total = sizes.reduce(0) { $0 &+ $1 }
    state = Mutex(State(fractions: sizes.map { _ in 0 }))
  }

  /// Takes what the work on a database tells.
  func show(_ index: Int, _ progress: SealCore.Progress) {
    let share = shares[progress.phase]
    let part = Double(min(progress.done, progress.total)) / Double(max(progress.total, 1))
    state.withLock { state in
      (state.phase, state.current) = (progress.phase, index)
      guard let share else { return }
      advance(
        index, to: share.lowerBound + part * (share.upperBound - share.lowerBound), &state)
    }
  }

  /// Something came of a database, or nothing will.
  func end(_ index: Int) {
    state.withLock { state in
      if state.current == index { state.phase = nil }
      state.ended += 1
      advance(index, to: 1, &state)
    }
  }

  private func advance(_ index: Int, to fraction: Double, _ state: inout State) {
    guard state.fractions.indices.contains(index), fraction > state.fractions[index] else { return }
    state.done += (fraction - state.fractions[index]) * sizes[index]
    state.fractions[index] = fraction
  }

  /// How far it is at `seconds` of a clock that never goes back.
  func view(at seconds: Double) -> View {
    state.withLock { state in
      let isAll = state.ended == subjects.count
      let done = isAll ? total : min(total, UInt64(max(0, state.done)))
      state.pace.note(state.done, at: seconds)
      let rate = state.pace.rate
      return View(
        phase: state.phase, subject: state.phase == nil ? nil : subjects[state.current],
        count: subjects.count, ended: state.ended, done: done, total: total, rate: rate,
        left: rate.map { Double(total - done) / $0 })
    }
  }
}

/// Bytes a second, smoothed, so that the time that is left does not jump.
struct Pace: Equatable {
  /// Seconds of work before anything is said, and without any before nothing is said any more.
  private static let patience = 1.5
  private static let stall = 5.0
  /// Seconds that the average looks back.
  private static let memory = 4.0

  private var began: Double?
  private var first = 0.0
  private var last = (time: 0.0, done: 0.0)
  private var moved = 0.0
  private var average = 0.0

  static func == (a: Pace, b: Pace) -> Bool { a.last == b.last && a.average == b.average }

  /// Takes the bytes that are done at a time in seconds.
  mutating func note(_ done: Double, at time: Double) {
    guard let began else {
      // What is done before anything moves, such as deriving a key, tells nothing about the rest.
      if done > 0 { (self.began, first, last, moved) = (time, done, (time, done), time) }
      return
    }
    let span = time - last.time
    guard span >= 0.1 else { return }
    let weight = time - began < Self.memory ? span / (time - began) : span / Self.memory
    average += (max(0, done - last.done) / span - average) * min(1, weight)
    if done > last.done { moved = time }
    last = (time, done)
  }

  /// nil where it would be a guess.
  var rate: Double? {
    guard let began, last.time - began >= Self.patience, last.time - moved < Self.stall,
      average >= 1
    else { return nil }
    return average
  }
}
