// Asks for a key on the terminal, without echo. The terminal is the controlling one, not standard
// input, which may be something else. Echo comes back on every way out: a signal only asks, and
// the reading below ends by itself.

internal import SealCore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The terminal as a place to type a key.
enum Prompt {
  /// A terminal in its usual mode passes lines of up to this many bytes on and drops the rest.
  static let lineLimit = 4095

  /// Whether `question` is answered with yes. Throws as `ask` does.
  static func confirm(_ question: String, cancellation: Cancellation) throws -> Bool {
    let answer = try ask("\(question) [y/N] ", isHidden: false, cancellation: cancellation)
    return answer.withBytes {
      ["y", "yes"].contains(String(decoding: $0, as: UTF8.self).lowercased())
    }
  }

  /// The line that is typed after `label`, without its end. Throws `KeyFailure`, or
  /// `SealError.interrupted`.
  static func ask(
    _ label: String, isHidden: Bool = true, cancellation: Cancellation
  ) throws -> Secret {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard terminal >= 0 else { throw KeyFailure(source: .terminal, flaw: .noTerminal) }
    defer { close(terminal) }
    var before = termios()
    guard tcgetattr(terminal, &before) == 0 else {
      throw KeyFailure(source: .terminal, flaw: .noTerminal)
    }
    defer {
      _ = tcsetattr(terminal, TCSANOW, &before)
      if isHidden { _ = SystemCalls.writeAll([0x0a], to: terminal) }
    }
    if isHidden { hideTyping(terminal) }
    _ = SystemCalls.writeAll(Array(Console.escaped(label).utf8), to: terminal)
    return try line(from: terminal, isHidden, cancellation)
  }

  /// Turns echo off where it is on: a shell turns it on again when a stopped job continues.
  private static func hideTyping(_ terminal: Int32) {
    var mode = termios()
    guard tcgetattr(terminal, &mode) == 0, mode.c_lflag & tcflag_t(ECHO) != 0 else { return }
    mode.c_lflag &= ~tcflag_t(ECHO)
    _ = tcsetattr(terminal, TCSANOW, &mode)
  }

  private static func line(
    from terminal: Int32, _ isHidden: Bool, _ cancellation: Cancellation
  ) throws -> Secret {
    var count = 0
    let typed = try Secret(count: lineLimit + 2) { buffer in
      while count < buffer.count {
        if isHidden { hideTyping(terminal) }
        try cancellation.check()
        var entry = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, 100) > 0 else { continue }
        let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
        let got = read(terminal, rest.baseAddress, rest.count)
        if got == 0 { return }
        if got < 0 {
          if errno == EINTR || errno == EAGAIN { continue }
          throw KeyFailure(source: .terminal, flaw: .unreadable(errno: errno))
        }
        count += got
        if buffer[count - 1] == 0x0a {
          count -= 1
          return
        }
      }
    }
    if count >= lineLimit {
      throw KeyFailure(source: .terminal, flaw: .lineTooLong(limit: lineLimit - 1))
    }
    return typed.slice(0..<count)
  }
}
