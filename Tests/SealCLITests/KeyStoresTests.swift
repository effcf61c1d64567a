// Plan: what stands between a command and a store of keys, with stores that do wrong.
// - saving reads back: a store that cuts, alters or forgets gives a failure, and what was there stays;
// - the order of stores, those that are not here, one that does not answer, one that is only read;
// - a key that is there is never replaced by a new one;
// - a list of keys: its lines, and which of them is no key;
// - a key in JSON is JSON, whatever bytes it has; every failure has a sentence in style.

import Foundation
import Synchronization
import Testing

@testable import SealCLI
@testable import SealCore

/// A store in memory that may do wrong.
private final class FakeStore: KeyStore {
  let backend: KeyBackend
  let isReadOnly: Bool
  let fault: KeyStoreObstacle?
  /// What becomes of the bytes that are stored.
  let change: @Sendable ([UInt8]) -> [UInt8]?
  private let kept = Mutex([String: [UInt8]]())

  init(
    _ backend: KeyBackend, _ content: [String: String] = [:], isReadOnly: Bool = false,
    obstacle: KeyStoreObstacle? = nil, change: @escaping @Sendable ([UInt8]) -> [UInt8]? = { $0 }
  ) {
    self.backend = backend
    self.isReadOnly = isReadOnly
    fault = obstacle
    self.change = change
    kept.withLock { $0 = content.mapValues { Array($0.utf8) } }
  }

  func obstacle() -> KeyStoreObstacle? { fault }
  func read(_ name: String) -> Secret? {
    kept.withLock { $0[name] }.map { $0.withUnsafeBytes { Secret(copying: $0) } }
  }
  func store(_ key: Secret, as name: String) {
    let before = kept.withLock { $0[name] }
    let bytes = key.withBytes { Array($0) }
    // What stood there before is stored again as it was.
    let new = bytes == first(name) ? bytes : change(bytes)
    kept.withLock { $0[name] = new }
    firsts.withLock { $0[name] = $0[name] ?? before }
  }
  func delete(_ name: String) -> Bool { kept.withLock { $0.removeValue(forKey: name) } != nil }
  func names() -> [String] { kept.withLock { Array($0.keys) } }

  private let firsts = Mutex([String: [UInt8]]())
  private func first(_ name: String) -> [UInt8]? { firsts.withLock { $0[name] } }
  subscript(_ name: String) -> String? {
    kept.withLock { $0[name] }.map { String(decoding: $0, as: UTF8.self) }
  }
}

private func flaw(_ body: () throws -> Void) -> KeyStoreFlaw? {
  do { try body() } catch let failure as KeyStoreFailure { return failure.flaw } catch {}
  return nil
}

@Suite struct KeyStoresTests {
  @Test func savesWhatCanBeReadBack() throws {
    let store = FakeStore(.kernel)
    try KeyStores(all: [store]).save(secret("words é"), as: "app", in: store, over: nil)
    #expect(store["app"] == "words é")
  }

  @Test(arguments: [true, false]) func failsWhereAStoreDoesNotKeepAllOfIt(_ keepsPiece: Bool) {
    let change: @Sendable ([UInt8]) -> [UInt8]? = { keepsPiece ? $0.dropLast() : nil }
    let empty = FakeStore(.kernel, change: change)
    let stores = KeyStores(all: [empty])
    func save(in store: FakeStore, over before: Secret?) -> KeyStoreFlaw? {
      flaw { try stores.save(secret("words"), as: "app", in: store, over: before) }
    }
    #expect(save(in: empty, over: nil) == .notReadBack)
    #expect(empty["app"] == nil)
    let full = FakeStore(.kernel, ["app": "the one before"], change: change)
    #expect(save(in: full, over: secret("the one before")) == .notReadBack)
    #expect(full["app"] == "the one before")
  }

  @Test func leavesWhatAnotherProcessPutThere() {
    // Between the look and the store, and between the store and the reading back.
    let full = FakeStore(.kernel, ["app": "another's"])
    let overwritten = FakeStore(.kernel) { _ in Array("another's".utf8) }
    for store in [full, overwritten] {
      let stores = KeyStores(all: [store])
      let found = flaw { try stores.save(secret("words"), as: "app", in: store, over: nil) }
      #expect(found == .changed)
      #expect(store["app"] == "another's")
    }
  }

  @Test func asksStoresInOrderAndPassesOverThoseThatAreNotHere() throws {
    let here = FakeStore(.kernel, ["app": "here", "b": "b"])
    let stores = KeyStores(all: [
      FakeStore(.credentials, ["app": "given"], isReadOnly: true),
      FakeStore(.keychain, ["app": "elsewhere"], obstacle: .otherSystem), here,
    ])
    #expect(try stores.read("app", in: nil).backend == .credentials)
    #expect(try stores.read("b", in: nil).backend == .kernel)
    #expect(try stores.target(nil).backend == .kernel)
    #expect(flaw { _ = try stores.read("c", in: nil) } == .missing([.credentials, .kernel]))
    #expect(flaw { _ = try stores.read("app", in: .keychain) } == .unavailable(.otherSystem))
    #expect(flaw { _ = try stores.target(.credentials) } == .readOnly)
    #expect(flaw { _ = try stores.find("a\nb", in: nil) } == .badName)
  }

  @Test func doesNotPassOverAServiceThatDoesNotAnswer() {
    let stores = KeyStores(all: [
      FakeStore(.secretService, obstacle: .timedOut), FakeStore(.kernel, ["app": "another"]),
    ])
    #expect(flaw { _ = try stores.read("app", in: nil) } == .unavailable(.timedOut))
    #expect(throws: Never.self) { try stores.read("app", in: .kernel) }
  }

  @Test func saysWhyThereIsNoStore() {
    let stores = KeyStores(all: [
      FakeStore(.credentials, isReadOnly: true),
      FakeStore(.secretService, obstacle: .noSessionBus),
      FakeStore(.kernel, obstacle: .system(errno: ENOSYS)),
    ])
    #expect(
      flaw { _ = try stores.target(nil) }
        == .noStore([.secretService: .noSessionBus, .kernel: .system(errno: ENOSYS)]))
  }

  @Test func neverReplacesAKeyByANewOne() throws {
    let stores = KeyStores(all: [
      FakeStore(.secretService), FakeStore(.kernel, ["app": "the only one"]),
    ])
    #expect(throws: KeyExists.stored("app", .kernel)) {
      try stores.make("app", in: nil) { secret("new") }
    }
    #expect(try stores.make("other", in: nil) { secret("new") } == .secretService)
  }

  @Test(
    arguments: [
      ("a\nb\n", [1, 2]), ("a\r\nb", [1, 2]), ("\n\na\n\n", [3]), ("a\r", [1]), ("\r\n \n", [2]),
    ] as [(String, [Int])])
  func takesALineForAKey(_ text: String, _ lines: [Int]) throws {
    let found = try KeyList.candidates(in: secret(text), from: .standardInput, .automatic)
    #expect(found.map(\.line) == lines)
  }

  @Test func namesTheLineThatIsNoKey() {
    let flaw = KeyFlaw.rawAmbiguous(characters: 2, digits: 2, isClosed: true)
    #expect(throws: KeyFailure(source: .terminal, flaw: .line(2, flaw), isList: true)) {
      try KeyList.candidates(in: secret("fine\nx'12'\n"), from: .terminal, .automatic)
    }
  }

  @Test(arguments: ["plain", "quote \" and \\", "tab\t\u{1b}[31m", "é\u{301}", ""])
  func writesAKeyAsJSON(_ text: String) throws {
    let line = SecretText.line(.object([.init("a", .integer(1))]), withKey: secret(text))
    let object = try JSONSerialization.jsonObject(with: line.withBytes { Data($0) })
    let fields = try #require(object as? [String: Any])
    #expect(fields["key"] as? String == text && fields["a"] as? Int == 1)
  }

  @Test func saysEveryFailureInStyle() {
    let obstacles: [KeyStoreObstacle] = [
      .otherSystem, .variableUnset, .noLibrary, .noSessionBus, .noService("who knows"), .timedOut,
      .deadBus(""), .deadBus("who knows"), .folder(errno: ENOENT), .system(errno: EPERM),
    ]
    let flaws: [KeyStoreFlaw] =
      [
        .missing([]), .missing([.kernel, .secretService]), .noStore([.kernel: .otherSystem]),
        .locked, .noCollection, .several, .timedOut(seconds: 1), .timedOut(seconds: 0.5),
        .readOnly, .readOnlyBeside(.kernel), .notReadBack, .notText, .notOneLine,
        .tooLong(limit: 5), .quota, .busy, .badName, .changed, .lockTaken(by: 7),
        .lockTaken(by: nil), .noLock,
        .system(errno: EPERM), .failed(""), .failed("words of its own"),
      ] + obstacles.map { .unavailable($0) }
    for flaw in flaws {
      let (sentence, hint) = KeyStoreDiagnostics.words(flaw)
      for text in [sentence, hint].compactMap({ $0 }) {
        #expect(!text.isEmpty && text.last != "." && text.first?.isUppercase == false, "\(text)")
      }
    }
    #expect(KeyStoreDiagnostics.words(.timedOut(seconds: 1)).0.hasSuffix("within 1 second"))
    #expect(KeyStoreDiagnostics.words(.timedOut(seconds: 0.5)).0.hasSuffix("within 0.5 seconds"))
  }
}
