// What the operating system refused, in words: calls that failed, and room that is not there.

internal import SealCore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

extension Diagnostics {
  /// The output is known not to fit. Two sizes that read alike say nothing, so what is missing is
  /// said too.
  static func noSpace(_ path: String, _ needed: UInt64, _ available: UInt64) -> Diagnosis {
    let missing = needed > available ? needed - available : 0
    return Diagnosis(
      .io,
      "not enough space: the output takes \(bytes(needed)), and its file system has"
        + " \(bytes(available)) left, \(bytes(missing)) too few",
      about: path, hint: "free that much, or name a TARGET on another file system",
      facts: [.init("needed", .unsigned(needed)), .init("available", .unsigned(available))])
  }

  /// A system call that failed.
  static func io(_ failure: IOFailure) -> Diagnosis {
    Diagnosis(
      .io, action(failure.call) + SystemCalls.words(failure.errno), about: failure.path,
      hint: hint(failure),
      facts: [
        .init("call", .string(failure.call.rawValue)),
        .init("errno", .integer(Int64(failure.errno))),
      ])
  }

  private static func hint(_ failure: IOFailure) -> String? {
    switch (failure.call, failure.errno) {
    case (.syncName, _):
      "run sync; until it succeeds a power cut may bring back what stood there before"
    case (.create, ENOSPC): "df -i says whether the file system has no room for one more file"
    default: nil
    }
  }

  private static func action(_ call: IOFailure.Call) -> String {
    switch call {
    case .open, .stat: ""
    case .create: "cannot make a file in its folder: "
    case .read: "cannot read: "
    case .write: "cannot write: "
    case .sync: "cannot sync: "
    case .rename: "cannot rename: "
    case .link: "cannot link: "
    case .unlink: "cannot remove: "
    case .truncate: "cannot truncate: "
    case .lock: "cannot lock: "
    case .chmod: "cannot set the mode: "
    case .chown: "cannot set the owner: "
    case .list: "cannot list: "
    case .allocate: "cannot reserve memory or space: "
    case .map: "cannot map: "
    case .syncName: "the new file is complete and in place, but its name cannot be synced: "
    }
  }
}
