// The real process around the tool: its arguments, streams, environment and signals.

internal import SealCore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Where main starts.
public enum Entry {
  /// Runs the command line of the process and ends it.
  public static func main() -> Never {
    let closed = Hardening.apply()
    Signals.install()
    let console = Console(
      output: .descriptor(1, isClosed: closed.contains(1)), error: .descriptor(2, isClosed: false))
    let session = Session(
      console: console, keys: KeySources(cancellation: Signals.cancellation),
      cancellation: Signals.cancellation, noColor: isSet("NO_COLOR"),
      dumbTerminal: isSet("TERM", to: "dumb"))
    let status = Tool.run(Arguments.ofProcess(), session)
    KeyVariables.forget()
    if let number = Signals.cancellation.requested, status == ExitStatus.ended(by: number) {
      Signals.die(by: number)
    }
    exit(status)
  }

  /// The variable is set and not empty, or has that value.
  private static func isSet(_ name: String, to value: String? = nil) -> Bool {
    guard let found = getenv(name) else { return false }
    return value.map { strcmp(found, $0) == 0 } ?? (found.pointee != 0)
  }
}
