// Plan: a key is the same however it is derived. The judge is libcrypto's PKCS5_PBKDF2_HMAC.
// - every hash, in every code of this processor, over passwords shorter and longer than a block,
//   empty salts and long ones, rounds from 1 on, keys of several blocks, from 1 to 40 at once;
// - rounds that are run in several parts, and an end between them;
// - several kinds in one call keep their order;
// - by threads, and in the turns of many threads, everybody gets the key that was asked for,
//   whatever the number of turns, and those that fail get the error;
// - with one turn databases are begun in their order, whenever their threads start, also
//   where one waits for another before it begins;
// - what several requests share is derived once;
// - every key of an encrypt and of a rekey is derived once, the new and the old one together;
// - the machine's code is what the processor has, and `openssl` turns it off (Tests/Scripts).

import Foundation
import Synchronization
import Testing

@testable import SealCore

@Suite struct DerivationTests {
  private static func sample(
    _ generator: inout SeededGenerator, _ algorithm: HashAlgorithm, _ iterations: Int
  ) -> Derivation {
    func bytes(_ count: Int) -> [UInt8] {
      (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }
    return Derivation(
      password: secretOf(bytes(Int.random(in: 1...300, using: &generator))),
      salt: bytes(Int.random(in: 0...40, using: &generator)), algorithm: algorithm,
      iterations: iterations, length: Int.random(in: 1...100, using: &generator))
  }

  @Test(arguments: HashAlgorithm.allCases, DerivationCode.allCases)
  func derivesAsLibCryptoDoes(_ algorithm: HashAlgorithm, _ code: DerivationCode) throws {
    var generator = SeededGenerator(state: 5)
    for count in [1, 2, 3, 5, 6, 8, 9, 15, 16, 17, 40] {
      for iterations in [1, 2, 3, 100] {
        let wanted = (0..<count).map { _ in Self.sample(&generator, algorithm, iterations) }
        let keys = try Derivation.run(wanted, code).map(bytesOf)
        #expect(try keys == wanted.map { try bytesOf($0.byPKCS5()) }, "\(count), \(iterations)")
      }
    }
  }

  /// Rounds are run in parts, between which somebody may want the end.
  @Test(arguments: HashAlgorithm.allCases, DerivationCode.allCases)
  func goesOnAfterEachPart(_ algorithm: HashAlgorithm, _ code: DerivationCode) throws {
    var generator = SeededGenerator(state: 11)
    for (count, iterations) in [(1, 16385), (9, 16386), (3, 32769), (17, 16384)] {
      let wanted = (0..<count).map { _ in Self.sample(&generator, algorithm, iterations) }
      let keys = try Derivation.run(wanted, code, until: Cancellation()).map(bytesOf)
      #expect(try keys == wanted.map { try bytesOf($0.byPKCS5()) }, "\(count), \(iterations)")
    }
  }

  /// What would take many minutes.
  @Test(arguments: HashAlgorithm.allCases, DerivationCode.allCases)
  func endsWhenAsked(_ algorithm: HashAlgorithm, _ code: DerivationCode) {
    var generator = SeededGenerator(state: 12)
    let wanted = (0..<20).map { _ in Self.sample(&generator, algorithm, Int(Int32.max)) }
    let cancellation = Cancellation()
    cancellation.cancel(signal: 2)
    #expect(throws: SealError.interrupted(signal: 2)) {
      try Derivation.run(wanted, code, until: cancellation)
    }
    #expect(throws: SealError.interrupted(signal: 2)) {
      try ParallelRuns.derive(wanted, workers: 3, until: cancellation)
    }
  }

  @Test func keepsTheOrderOfDifferentKinds() throws {
    var generator = SeededGenerator(state: 6)
    let wanted = (0..<60).map { index in
      Self.sample(&generator, HashAlgorithm.allCases[index % 3], 1 + index % 4)
    }
    let expected = try wanted.map { try bytesOf($0.byPKCS5()) }
    #expect(try Derivation.run(wanted).map(bytesOf) == expected)
    for workers in [1, 2, 7, 100] {
      #expect(try ParallelRuns.derive(wanted, workers: workers).map(bytesOf) == expected)
    }
    #expect(try Derivation.run([]).isEmpty)
  }

  @Test(arguments: [1, 2, 3, 8])
  func givesEveryThreadItsKeys(_ turns: Int) throws {
    var generator = SeededGenerator(state: 7)
    // Several kinds, one or two at once, as a rekey asks for them.
    let calls = (0..<90).map { index in
      (0..<(1 + index % 2)).map { _ in
        Self.sample(&generator, [.sha512, .sha512, .sha1][index % 3], 50 + index % 2)
      }
    }
    let shared = DerivationTurns(turns: turns, cancellation: Cancellation())
    let working = Mutex(0)
    let most = Mutex(0)
    try ParallelRuns.forEach(
      count: calls.count, workers: DerivationTurns.threads(turns: turns),
      cancellation: Cancellation()
    ) {
      { index in
        try shared.take(index) {
          func work() {
            let now = working.withLock {
              $0 += 1; return $0
            }
            most.withLock { $0 = max($0, now) }
            usleep(50)
            working.withLock { $0 -= 1 }
          }
          for call in [calls[index], calls[(index + 7) % calls.count]] {
            work()
            let keys = try shared.derive(call, index).map(bytesOf)
            #expect(try keys == call.map { try bytesOf($0.byPKCS5()) })
          }
          work()
        }
      }
    }
    #expect(most.withLock { $0 } <= turns)
  }

  @Test func goesThroughDatabasesInTheirOrder() throws {
    let turns = DerivationTurns(turns: 1, cancellation: Cancellation())
    let begun = Mutex([Int]())
    let ended = Monitor([Int]())
    try ParallelRuns.forEach(count: 60, workers: 20, cancellation: Cancellation()) {
      { index in
        usleep(UInt32(index * 7919 % 13) * 300)
        // As one file under two names.
        if index % 10 == 9 { ended.wait { $0.contains(index - 5) ? () : nil } }
        try turns.take(index) {
          begun.withLock { $0.append(index) }
          let wanted = Derivation(
            password: secretOf([1]), salt: [2], algorithm: .sha512, iterations: 2)
          if index % 3 > 0 { _ = try turns.derive([wanted], index) }
          ended.update { $0.append(index) }
        }
      }
    }
    #expect(begun.withLock { $0 } == Array(0..<60))
    #expect(ended.withLock { $0.sorted() } == Array(0..<60))
  }

  @Test func tellsAFailureToThoseWhoAskedAndGoesOn() throws {
    let cancellation = Cancellation()
    let turns = DerivationTurns(turns: 2, cancellation: cancellation)
    let failed = Mutex(0)
    let done = Mutex(0)
    try ParallelRuns.forEach(count: 40, workers: 20, cancellation: Cancellation()) {
      { index in
        turns.take(index) {
          let rounds = index % 4 == 0 ? 0 : 2
          let wanted = Derivation(
            password: secretOf([1]), salt: [2], algorithm: .sha512, iterations: rounds)
          do {
            _ = try turns.derive([wanted], index)
            done.withLock { $0 += 1 }
          } catch SealError.badProfile(.kdfIterations(0)) {
            failed.withLock { $0 += 1 }
          } catch { Issue.record(error) }
        }
      }
    }
    #expect(failed.withLock { $0 } == 10 && done.withLock { $0 } == 30)
    cancellation.cancel(signal: 2)
    #expect(throws: SealError.interrupted(signal: 2)) {
      try turns.take(40) {
        let wanted = Derivation(
          password: secretOf([1]), salt: [], algorithm: .sha1, iterations: 1)
        _ = try turns.derive([wanted], 40)
      }
    }
  }

  @Test func derivesOnceWhatRequestsShare() throws {
    let asked = Mutex([Derivation]())
    let key = try keyOf("k")
    var other = CipherProfile.format4
    other.pageSize = 8192
    var slow = CipherProfile.format4
    slow.kdfIterations = 3
    let salt = [UInt8](repeating: 7, count: 16)
    let raw = try KeyMaterial(secretOf(Array(String(repeating: "ab", count: 32).utf8)), as: .raw)
    let requests = [
      (key, CipherProfile.format4), (raw, .format4), (key, other), (key, slow),
    ].map { KeyRequest(material: $0, profile: $1, salt: salt) }
    let keys = try KeyDerivation.derive(requests) { wanted in
      asked.withLock { $0 += wanted }
      return try Derivation.run(wanted)
    }
    #expect(asked.withLock { $0.map(\.iterations) } == [256_000, 3])
    for (request, found) in zip(requests, keys) {
      let alone = try KeyDerivation.derive(
        request.material, profile: request.profile, salt: request.salt)
      #expect(bytesOf(alone.encryption) == bytesOf(found.encryption))
      #expect(alone.hmac.map(bytesOf) == found.hmac.map(bytesOf))
    }
  }

  @Test func asksForEachKeyOnce() throws {
    try withFolder { folder in
      let source = folder.appendingPathComponent("plain.db").path
      try Peer.makePlain(source, "CREATE TABLE t(a); INSERT INTO t VALUES(1);")
      let asked = Mutex([Int]())
      var context = OperationContext()
      context.sharedDeriver = { wanted in
        asked.withLock { $0.append(wanted.count) }
        return try Derivation.run(wanted)
      }
      let sealed = folder.appendingPathComponent("sealed.db").path
      let first = ConversionRequest(
        source: source, output: OutputOptions(.target(sealed)), key: try keyOf("k"),
        settings: CipherSettings(), context: context)
      _ = try Encrypt.run(first)
      #expect(asked.withLock { $0 } == [1])
      asked.withLock { $0 = [] }
      let second = ConversionRequest(
        source: sealed, output: OutputOptions(.inPlace), key: try keyOf("k"),
        settings: CipherSettings(), context: context)
      _ = try Reseal.run(second, change: .key(keyOf("new")), reading: CipherSettings())
      #expect(asked.withLock { $0 } == [1, 2])
    }
  }

  #if arch(x86_64) && os(Linux)
    @Test func usesWhatTheProcessorHas() throws {
      let flags = try String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)
      let best: DerivationCode =
        flags.contains(" avx512f ") ? .avx512 : flags.contains(" avx2 ") ? .avx2 : .oneByOne
      let isOff = ProcessInfo.processInfo.environment["DBSEAL_CRYPTO"] == "openssl"
      #expect(DerivationCode.current == (isOff ? .oneByOne : best))
    }
  #endif
}
