// The closed list of outcomes that a caller can tell apart. Scripts rely on the words and on the
// exit statuses, so both are stable: they are added to, never changed.

/// The stable name of an outcome, as `--json` says it in `code`.
public enum ErrorCode: String, Sendable, CaseIterable {
  case ok
  case checkFailed = "check_failed"
  case usage
  case noKey = "no_key"
  case wrongKey = "wrong_key"
  case damaged
  case wrongKind = "wrong_kind"
  case exists
  case locked
  case io
  case unsupported
  case migrationFailed = "migration_failed"
  case selfCheckFailed = "self_check_failed"
  case interrupted
}
