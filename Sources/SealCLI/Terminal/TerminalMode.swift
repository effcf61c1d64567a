// A program that asks for a password turns the terminal's echo off; where it is ended before it got an
// answer, nobody would turn it on again.

internal import SealCore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The settings of the controlling terminal at one moment.
struct TerminalMode {
  private let settings: termios

  /// nil where there is no terminal, or where another job has it, as after `&`.
  init?() {
    let found = Self.withTerminal { Self.settings(of: $0) }
    guard let found, let settings = found else { return nil }
    self.settings = settings
  }

  /// Puts them back where they are others now; what comes next then begins on a line of its own.
  func restore() {
    _ = Self.withTerminal { terminal in
      guard let now = Self.settings(of: terminal), !isSame(as: now) else { return }
      var settings = settings
      _ = tcsetattr(terminal, TCSANOW, &settings)
      _ = SystemCalls.writeAll([0x0a], to: terminal)
    }
  }

  private func isSame(as other: termios) -> Bool {
    settings.c_lflag == other.c_lflag && settings.c_iflag == other.c_iflag
      && settings.c_oflag == other.c_oflag && settings.c_cflag == other.c_cflag
  }

  private static func settings(of terminal: Int32) -> termios? {
    var settings = termios()
    return tcgetattr(terminal, &settings) == 0 ? settings : nil
  }

  /// Who is not in the foreground would be stopped for changing it.
  private static func withTerminal<R>(_ body: (Int32) -> R) -> R? {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard terminal >= 0 else { return nil }
    defer { close(terminal) }
    return tcgetpgrp(terminal) == getpgrp() ? body(terminal) : nil
  }
}
