// The exit status of every outcome, in one place. The numbers are a contract with scripts.

internal import SealCore

extension ErrorCode {
  /// What the process ends with. Interrupted: by SIGINT; other signals have their own number.
  var exitStatus: Int32 {
    switch self {
    case .ok: 0
    case .checkFailed: 1
    case .usage: 2
    case .noKey: 3
    case .wrongKey: 4
    case .damaged: 5
    case .wrongKind: 6
    case .exists: 7
    case .locked: 8
    case .io: 9
    case .unsupported: 10
    case .migrationFailed: 11
    case .selfCheckFailed: 70
    case .interrupted: 130
    }
  }

  /// What it means, for help texts: lower case, no full stop.
  var meaning: String {
    switch self {
    case .ok: "done, and proven"
    case .checkFailed: "a check failed, or one of several files did"
    case .usage: "bad option or combination"
    case .noKey: "no key, a malformed one, or its source failed"
    case .wrongKey: "wrong key, or settings that do not fit"
    case .damaged: "the database is damaged"
    case .wrongKind: "not what the command needs"
    case .exists: "the target exists, or is the source"
    case .locked: "in use by another process"
    case .io: "not found, no permission, disk full, read or write error"
    case .unsupported: "this engine cannot do it"
    case .migrationFailed: "a schema migration failed and was rolled back"
    case .selfCheckFailed: "the output did not prove equal and was removed"
    case .interrupted: "interrupted (143 by SIGTERM); nothing is left behind"
    }
  }
}

/// Exit statuses that depend on more than the code.
enum ExitStatus {
  /// A process that signal `number` ended, as a shell reports it.
  static func ended(by number: Int32) -> Int32 { 128 &+ number }
}
