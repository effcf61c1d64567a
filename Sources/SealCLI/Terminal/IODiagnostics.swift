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
    case (_, ENOENT): "check the name, and the folder that you are in"
    case (_, ENOTDIR): "check the name: a part of it is a file and no folder"
    case (_, ENAMETOOLONG): "choose a shorter name"
    case (.create, EACCES), (.create, EPERM):
      "ls -ld on its folder says who may write there; or name a place in another folder"
    case (_, EACCES), (_, EPERM): "ls -l says who may do that: run this as that user"
    case (_, EROFS): "name a place on a file system that can be written"
    case (_, ENOSPC), (_, EDQUOT): "free some space, or name a place on another file system"
    case (_, EFBIG): "ulimit -f says the limit: raise it, or name a place where there is none"
    case (_, EMFILE), (_, ENFILE): "ulimit -n says the limit: raise it, or use a lower --jobs"
    case (_, ENOMEM): "use a lower --jobs, or free memory"
    case (_, EIO): "the disk failed: look into the system's log, and copy what can be read"
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
