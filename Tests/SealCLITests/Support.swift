// What the tests of the command line share: a console that keeps what is written, sessions with a
// core of their own, temporary folders, and secrets from text.

import Foundation
import Synchronization

@testable import SealCLI
@testable import SealCore

/// Both streams, kept.
final class Captured: Sendable {
  private let box = Box()
  let console: Console

  init(
    outputErrno: Int32 = 0, terminal: Bool = false, width: Int = 80, inFront: Bool = true
  ) {
    let keep = box
    console = Console(
      output: SealCLI.Stream(isTerminal: terminal, width: { width }) { new in
        if outputErrno == 0 { keep.append(new, toError: false) }
        return outputErrno
      },
      error: SealCLI.Stream(
        isTerminal: terminal, width: { width }, isInFront: { inFront }
      ) { new in
        keep.append(new, toError: true)
        return 0
      })
  }

  var output: String { box.text(ofError: false) }
  var error: String { box.text(ofError: true) }
}

/// The kept bytes.
final class Box: Sendable {
  private let bytes = Mutex(([UInt8](), [UInt8]()))
  func append(_ new: [UInt8], toError: Bool) {
    bytes.withLock { if toError { $0.1 += new } else { $0.0 += new } }
  }
  func text(ofError: Bool) -> String {
    bytes.withLock { String(decoding: ofError ? $0.1 : $0.0, as: UTF8.self) }
  }
}

/// Text as secret bytes.
func secret(_ text: String) -> Secret { Array(text.utf8).withUnsafeBytes { Secret(copying: $0) } }

/// The bytes of a secret as text.
func text(_ secret: Secret) -> String {
  secret.withBytes { String(decoding: $0, as: UTF8.self) }
}

/// A folder that is removed when the test ends.
final class Folder {
  let path: String
  init() throws {
    path = NSTemporaryDirectory() + "sealcli-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }
  /// Makes a file; its path.
  func file(_ name: String, _ bytes: [UInt8], mode: Int = 0o600) throws -> String {
    let file = path + "/" + name
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
    return file
  }
  func file(_ name: String, _ text: String, mode: Int = 0o600) throws -> String {
    try file(name, Array(text.utf8), mode: mode)
  }
  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// Key sources that see only these variables, and answer prompts with these lines.
func keySources(
  variables: [String: String] = [:], answers: [String]? = nil, inputIsTerminal: Bool = false
) -> KeySources {
  let box = Answers(answers)
  var sources = KeySources()
  sources.surroundings = KeySources.Surroundings(
    variable: { name in variables[name].map { secret($0) } },
    keyVariable: { name in variables[name].map { secret($0) } },
    prompt: { label, _ in try box.next(label) }, inputIsTerminal: { inputIsTerminal })
  return sources
}

/// Lines that are "typed".
final class Answers: Sendable {
  private let rest: Mutex<[String]>
  private let none: Bool
  /// nil: there is no terminal.
  init(_ lines: [String]?) {
    rest = Mutex(lines ?? [])
    none = lines == nil
  }
  func next(_ label: String) throws -> Secret {
    guard !none else { throw KeyFailure(source: .terminal, flaw: .noTerminal) }
    return secret(rest.withLock { $0.isEmpty ? "" : $0.removeFirst() })
  }
}

/// The root of the repository.
let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  .deletingLastPathComponent().deletingLastPathComponent()
