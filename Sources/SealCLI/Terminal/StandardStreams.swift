// The real streams of the process, and what the environment says about them.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

extension Stream {
  /// The stream behind descriptor 1 or 2. `isClosed`: the caller had closed it.
  static func descriptor(_ number: Int32, isClosed: Bool) -> Stream {
    let isTerminal = isatty(number) == 1
    let write: @Sendable ([UInt8]) -> Int32 = { SystemCalls.writeAll($0, to: number) }
    guard isTerminal else { return Stream(isClosed: isClosed, write: write) }
    return Stream(
      isTerminal: true, width: { columns(of: number) },
      isInFront: { tcgetpgrp(number) == getpgrp() || tcgetpgrp(number) < 0 }, write: write)
  }

  /// 80 where the terminal does not know, as a serial line.
  private static func columns(of descriptor: Int32) -> Int {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }
}

/// The few system calls that the command line makes itself.
enum SystemCalls {
  /// Writes all bytes; answers 0 or an errno. Waits where the descriptor does not block.
  static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    bytes.withUnsafeBytes { buffer in
      var done = 0
      while done < buffer.count {
        let rest = UnsafeRawBufferPointer(rebasing: buffer[done...])
        let count = write(descriptor, rest.baseAddress, rest.count)
        if count >= 0 {
          done += count
        } else if errno == EAGAIN {
          var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          _ = poll(&entry, 1, 1000)
        } else if errno != EINTR {
          return errno
        }
      }
      return 0
    }
  }

  /// An errno in words: lower case, no full stop.
  static func words(_ number: Int32) -> String {
    switch number {
    case ENOENT: return "no such file or directory"
    case ENOSPC: return "no space left on the device"
    default:
      guard let text = strerror(number) else { return "error \(number)" }
      let words = String(cString: text)
      // Acronyms stay as they are.
      if words.prefix(2).allSatisfy(\.isUppercase) { return words }
      return words.prefix(1).lowercased() + words.dropFirst()
    }
  }
}

extension SystemCalls {
  /// The time in UTC, as ISO 8601 has it: `2026-01-31T12:00:00`.
  static func universalTime() -> String {
    var now = time(nil)
    var parts = tm()
    guard gmtime_r(&now, &parts) != nil else { return "1970-01-01T00:00:00" }
    func digits(_ number: Int32) -> String { String(String(100 + number).suffix(2)) }
    let date = "\(1900 + parts.tm_year)-\(digits(parts.tm_mon + 1))-\(digits(parts.tm_mday))"
    return "\(date)T\(digits(parts.tm_hour)):\(digits(parts.tm_min)):\(digits(parts.tm_sec))"
  }

  /// What this machine calls itself.
  static func hostName() -> String {
    var bytes = [UInt8](repeating: 0, count: 256)
    let found = bytes.withUnsafeMutableBytes { buffer in
      buffer.withMemoryRebound(to: CChar.self) { text in
        text.baseAddress.map { gethostname($0, text.count - 1) } ?? -1
      }
    }
    let name = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    return found == 0 && !name.isEmpty ? name : "localhost"
  }
}
