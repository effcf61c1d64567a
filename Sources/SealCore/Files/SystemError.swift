// The few error numbers that the layers above Files name themselves.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Numbers of `errno`.
enum SystemError {
  static let notFound = ENOENT
  static let notDirectory = ENOTDIR
  static let notPermitted = EACCES
  static let noSpace = ENOSPC
  static let noMemory = ENOMEM
  static let tooManyLinks = EMLINK
  static let link = ELOOP
}
