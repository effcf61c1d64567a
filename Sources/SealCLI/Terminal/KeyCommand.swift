// Runs a command whose output is a key: without a shell, with nothing on its standard input, its
// messages passed through, and neither an environment nor descriptors that hold keys of ours.

internal import CSystem
internal import SealCore
internal import Synchronization

#if canImport(Glibc)
  @preconcurrency internal import Glibc
#elseif canImport(Darwin)
  @preconcurrency internal import Darwin
#endif

/// A running command and what it prints.
struct KeyCommand {
  private let process: pid_t
  private let descendants: Descendants
  private let output: Int32
  private let source: KeySource
  /// The terminal's, before the command could ask there.
  private let terminal: TerminalMode?
  /// How many were started.
  private static let count = Atomic<Int>(0)

  /// All that `line` prints, at most `limit` bytes; nil if it prints more. Throws `KeyFailure`,
  /// or `SealError.interrupted`.
  static func output(
    of line: String, from source: KeySource, limit: Int, hiding hidden: Set<String>,
    deadline: Deadline, cancellation: Cancellation
  ) throws -> Secret? {
    let words: [String]
    do {
      words = try ShellWords.split(line)
    } catch .unfinishedQuote {
      throw KeyFailure(source: source, flaw: .unfinishedQuote)
    } catch .shellSyntax(let character) {
      throw KeyFailure(source: source, flaw: .shellSyntax(character))
    }
    let command = try KeyCommand(words, source: source, hiding: hidden)
    return try command.collect(limit: limit, deadline, cancellation)
  }

  private init(_ words: [String], source: KeySource, hiding hidden: Set<String>) throws {
    guard let program = words.first else { throw KeyFailure(source: source, flaw: .empty) }
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw KeyFailure(source: source, flaw: .unreadable(errno: errno))
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[1]) }
    terminal = TerminalMode()
    Self.keepDescriptors()
    var identifier: pid_t = 0
    Descendants.keepInSight()
    let mark = "DBSEAL_STARTED_BY=\(getpid()).\(Self.count.add(1, ordering: .relaxed).newValue)"
    let failure = Self.spawn(
      words, program, writing: ends[1], hiding: hidden, marked: mark, &identifier)
    guard failure == 0 else {
      close(ends[0])
      throw KeyFailure(source: source, flaw: .notStarted(errno: failure))
    }
    process = identifier
    descendants = Descendants(command: identifier, mark: mark)
    output = ends[0]
    self.source = source
  }

  /// What the caller opened for us may hold a key: no command gets more than 0, 1 and 2.
  private static func keepDescriptors() {
    if dbseal_close_on_exec(3) == 0 { return }
    let open = (try? Folder.names(of: "/dev/fd"))?.compactMap { Int32($0) }
    for descriptor in open ?? Array(3..<min(getdtablesize(), 1 << 16)) where descriptor > 2 {
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }
  }

  /// Answers 0 or an errno.
  private static func spawn(
    _ words: [String], _ program: String, writing end: Int32, hiding hidden: Set<String>,
    marked mark: String, _ identifier: inout pid_t
  ) -> Int32 {
    #if canImport(Glibc)
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #else
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, end, 1)
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // A child inherits ignored signals; this one is ignored here only for our own writes.
    var usual = sigset_t()
    sigemptyset(&usual)
    sigaddset(&usual, SIGPIPE)
    sigaddset(&usual, SIGXFSZ)
    posix_spawnattr_setsigdefault(&attributes, &usual)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))

    var arguments = words.map { strdup($0) }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    let marking = strdup(mark)
    defer { free(marking) }
    var environment = Self.environment(without: hidden, adding: marking)
    return posix_spawnp(&identifier, program, &actions, &attributes, &arguments, &environment)
  }

  /// The environment of the process, by pointer, without the named variables.
  private static func environment(
    without hidden: Set<String>, adding mark: UnsafeMutablePointer<CChar>?
  ) -> [UnsafeMutablePointer<CChar>?] {
    var kept: [UnsafeMutablePointer<CChar>?] = []
    var entry = environ
    while let text = entry.pointee {
      let name = UnsafeBufferPointer(start: text, count: strlen(text)).prefix { $0 != 0x3d }
      let known = String(decoding: name.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      if !hidden.contains(known) { kept.append(text) }
      entry = entry.advanced(by: 1)
    }
    return kept + [mark, nil]
  }

  private func collect(
    limit: Int, _ deadline: Deadline, _ cancellation: Cancellation
  ) throws -> Secret? {
    let printed: Secret?
    do {
      printed = try BoundedRead.all(
        output, limit: limit, deadline: deadline, cancellation: cancellation)
    } catch {
      finish(by: SIGTERM)
      guard let failure = error as? BoundedRead.Failure else { throw error }
      let isSlow = failure.errno == ETIMEDOUT
      throw KeyFailure(
        source: source,
        flaw: isSlow ? .slow(seconds: deadline.seconds) : .unreadable(errno: failure.errno))
    }
    guard let printed else {
      finish(by: SIGKILL)
      return nil
    }
    close(output)
    let status = try wait(deadline, cancellation)
    let number = status & 0x7f
    if number != 0 {
      terminal?.restore()
      throw KeyFailure(source: source, flaw: .killed(signal: number))
    }
    let code = (status >> 8) & 0xff
    if code != 0 { throw KeyFailure(source: source, flaw: .exited(status: code)) }
    return printed
  }

  /// The status of the command, once it ended. A command that printed its key and goes on is
  /// waited for, until a signal asks or the time is over. Throws where its end cannot be learnt: then nobody knows
  /// whether what it printed is a key.
  private func wait(_ deadline: Deadline, _ cancellation: Cancellation) throws -> Int32 {
    var status: Int32 = 0
    while true {
      switch waitpid(process, &status, WNOHANG) {
      case process:
        if cancellation.requested != nil { terminal?.restore() }
        try cancellation.check()
        return status
      case 0:
        if cancellation.requested != nil || deadline.isOver { end(by: SIGTERM) }
        try cancellation.check()
        if deadline.isOver {
          throw KeyFailure(source: source, flaw: .slow(seconds: deadline.seconds))
        }
        usleep(2000)
      default:
        if errno != EINTR { throw KeyFailure(source: source, flaw: .unreadable(errno: errno)) }
      }
    }
  }

  private func finish(by signal: Int32) {
    close(output)
    end(by: signal)
  }

  /// Ends the command and what it started: by `signal`, and where that is not obeyed within a second,
  /// by SIGKILL. What it had changed at the terminal is put back.
  private func end(by signal: Int32) {
    defer { terminal?.restore() }
    var isOver = false
    Self.send(signal, to: [process] + descendants.living())
    for _ in 0..<100 {
      isOver = isOver || waitpid(process, nil, WNOHANG) != 0
      if isOver, descendants.living().isEmpty { return }
      usleep(10000)
    }
    Self.send(SIGKILL, to: (isOver ? [] : [process]) + descendants.living())
    while !isOver, waitpid(process, nil, 0) < 0, errno == EINTR {}
  }

  private static func send(_ signal: Int32, to processes: [pid_t]) {
    for process in processes { _ = kill(process, signal) }
  }
}
