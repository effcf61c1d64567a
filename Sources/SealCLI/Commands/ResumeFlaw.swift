// Why a run cannot go on with a journal, in words.

internal import SealCore

/// A journal that does not fit, or a database that is not what the journal says.
enum ResumeFlaw: ExplainedError {
  case file(String, RunJournal.Flaw)
  /// A line, from 1, that no dbseal wrote.
  case line(String, Int)
  case newer(String)
  case otherRun(String, before: RunHeader, now: RunHeader)
  /// The journal has the name of a database of the run.
  case isDatabase(String)
  case notWritten(String, IOFailure, database: String)
  /// The same happened before it was begun.
  case notBegun(String, IOFailure, database: String)
  /// A key of this run is another one than that of the run before.
  case otherKey(String, KeyRole)
  case sourceChanged(String, target: String)
  case targetChanged(String)

  var diagnosis: Diagnosis {
    let resume = Options.resume.flag
    switch self {
    case .file(let path, .inUse):
      return Diagnosis(
        .locked, "another run is at work with this journal", about: path,
        hint: "wait for its end, or give this run a journal of its own")
    case .file(let path, .tooLong(let limit)):
      return Diagnosis(
        .wrongKind, "a journal has at most \(Diagnostics.bytes(UInt64(limit)))", about: path)
    case .file(let path, .foreign):
      return Diagnosis(
        .wrongKind, "this is no journal of a run, and was left as it is", about: path,
        hint: "\(resume) makes the file: name one that does not exist")
    case .line(let path, let number):
      return Diagnosis(
        .damaged, "line \(number) of the journal is none that dbseal wrote", about: path,
        hint: "what is done already is refused or found done by a new journal, never done twice")
    case .newer(let path):
      return Diagnosis(.unsupported, "the journal is of a newer dbseal", about: path)
    case .otherRun(let path, let before, let now):
      return Diagnosis(
        .usage, "the journal belongs to another run: \(Self.difference(before, now))", about: path,
        hint: "go on with the same options, or give this run a journal of its own")
    case .isDatabase(let path):
      return Diagnosis(.usage, "\(resume) names a database of the run: \(path)")
    case .notWritten(let path, let failure, let database):
      return Diagnosis(
        .io,
        "this was finished, but the journal \(path) cannot be written:"
          + " \(SystemCalls.words(failure.errno))", about: database,
        hint: "once it can be, the same command line goes on")
    case .notBegun(let path, let failure, let database):
      return Diagnosis(
        .io,
        "this was left as it was, because the journal \(path) cannot be written:"
          + " \(SystemCalls.words(failure.errno))", about: database)
    case .otherKey(let path, let role):
      return Diagnosis(
        .wrongKey, "the journal belongs to a run with another \(role.words); nothing was changed",
        about: path,
        hint: "go on with the \(role.words) of that run, or give this run a journal of its own")
    case .sourceChanged(let path, let target):
      return Diagnosis(
        .exists, "it changed since \(target) was made of it", about: path,
        hint: "--force makes \(target) anew")
    case .targetChanged(let path):
      return Diagnosis(
        .exists, "it changed since it was made, and was left as it is", about: path,
        hint: "--force makes it anew from its source")
    }
  }

  /// What differs, in few words.
  private static func difference(_ before: RunHeader, _ now: RunHeader) -> String {
    guard before.command == now.command else { return "\(before.command), not \(now.command)" }
    func only(_ one: RunHeader, _ other: RunHeader) -> String {
      let own = one.options.filter { !other.options.contains($0) }
      return own.isEmpty ? "none" : own.joined(separator: " ")
    }
    return "its options were \(only(before, now)), and now \(only(now, before))"
  }
}

/// A database that an earlier run had finished: nothing is to be done.
struct DoneBefore: Error {}
