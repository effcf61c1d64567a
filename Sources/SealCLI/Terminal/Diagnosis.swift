// A failure, ready to be said: in text on standard error, or as a JSON object.

internal import SealCore

/// A sentence with its hint and its exit status.
struct Diagnosis: Sendable, Equatable {
  let code: ErrorCode
  let exit: Int32
  /// The file or source that it is about.
  let subject: String?
  /// Lower case, no full stop.
  let sentence: String
  /// Something to type or to do.
  let hint: String?
  /// What a script may want to know beyond the sentence.
  let facts: [JSON.Field]

  init(
    _ code: ErrorCode, _ sentence: String, about subject: String? = nil, hint: String? = nil,
    facts: [JSON.Field] = [], exit: Int32? = nil
  ) {
    self.code = code
    self.exit = exit ?? code.exitStatus
    self.subject = subject
    self.sentence = sentence
    self.hint = hint
    self.facts = facts
  }

  /// The same with more facts.
  func adding(_ more: [JSON.Field]) -> Diagnosis {
    Diagnosis(code, sentence, about: subject, hint: hint, facts: facts + more, exit: exit)
  }

  /// The same, with `database` by the name that the user gave it, where the work knew it, or one of
  /// its sidecars or its backup with that suffix, by its real path.
  func naming(_ database: String, _ backup: String? = nil) -> Diagnosis {
    guard let subject, let real = SourceCheck.realPath(of: database), real != database,
      subject.hasPrefix(real)
    else { return self }
    let rest = subject.dropFirst(real.count)
    guard rest.isEmpty || rest.first == "-" || rest == backup ?? "" else { return self }
    return Diagnosis(
      code, sentence, about: database + rest, hint: hint, facts: facts, exit: exit)
  }

  /// The same about the database that a key is for, where the key is what it is about.
  func about(keyOf database: String) -> Diagnosis {
    guard code == .noKey, subject != database else { return self }
    let source = subject.map { $0 + ": " } ?? ""
    return Diagnosis(
      code, source + sentence, about: database, hint: hint, facts: facts, exit: exit)
  }

  /// The same about something that is called otherwise.
  func with(subject: String) -> Diagnosis {
    Diagnosis(code, sentence, about: subject, hint: hint, facts: facts, exit: exit)
  }

  /// The same with more at the end of its sentence.
  func adding(_ words: String) -> Diagnosis {
    Diagnosis(
      code, "\(sentence); \(words)", about: subject, hint: hint, facts: facts, exit: exit)
  }

  /// The same with something to type.
  func hinting(_ hint: String) -> Diagnosis {
    Diagnosis(code, sentence, about: subject, hint: hint, facts: facts, exit: exit)
  }

  /// Says it on standard error.
  func say(on console: Console) {
    let about = subject.map { $0 + ": " } ?? ""
    console.say([Span("\(Catalog.tool): ", .error), Span(about), Span(sentence)])
    // Once: of many databases a hint may be the same for each.
    if let hint, console.isNew(hint) { console.say([Span("hint: ", .hint), Span(hint)]) }
  }

  /// The object for `--json`. `database` is the file that the command worked on, if it came so far.
  func json(command: String?, database: String?) -> JSON {
    let about = subject.flatMap { $0 == database ? nil : $0 + ": " } ?? ""
    return .object(
      [
        JSON.Field("command", .optional(command)),
        JSON.Field("database", .optional(database)),
        JSON.Field("ok", .bool(code == .ok)),
        JSON.Field("code", .string(code.rawValue)),
        JSON.Field("exit", .integer(Int64(exit))),
        JSON.Field("message", .string(about + sentence)),
        JSON.Field("hint", .optional(hint)),
      ] + facts)
  }
}

/// An error of the command line itself that brings its words along.
protocol ExplainedError: Error {
  var diagnosis: Diagnosis { get }
}

/// A file of our own that could not be written: a generated one, or standard output.
struct OutputFailure: ExplainedError, Equatable {
  let path: String
  let errno: Int32
  var hint: String?

  var diagnosis: Diagnosis {
    Diagnosis(.io, SystemCalls.words(errno), about: path, hint: hint)
  }
}
