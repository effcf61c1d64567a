// What a journal keeps of the keys of a run, so that another run can tell whether it has the same: not the
// key, and nothing that makes it easier to guess than a database under it does.

/// A value that one key, or one list of keys, gives under a salt of its own.
public struct KeyProof: Sendable {
  /// Gives each of some keys by its number.
  public typealias Key = (Int) throws -> KeyMaterial

  /// Random.
  public let salt: [UInt8]
  private let value: Secret

  /// Rounds where all keys are raw ones, which were made at random.
  private static let rawRounds = 1_000
  private static let length = 32

  /// That of `count` keys, with a new salt. `rounds`: the most that a passphrase costs where it is used;
  /// those of format 4 are the least. Throws `.unsupported(.crypto)`, what `key` throws, and
  /// `.interrupted` soon after the end was asked for.
  public init(of count: Int, _ key: Key, rounds: Int, until cancellation: Cancellation) throws {
    salt = try LibCrypto.randomBytes(KeyDerivation.saltLength)
    value = try Self.value(count, key, salt, rounds, cancellation)
  }

  /// One that was written down; nil where it can be none.
  public init?(salt: [UInt8], value: [UInt8]) {
    guard salt.count == KeyDerivation.saltLength, value.count == Self.length else { return nil }
    self.salt = salt
    self.value = value.withUnsafeBytes { Secret(copying: $0) }
  }

  /// What can be written down.
  public var bytes: [UInt8] { value.withBytes { Array($0) } }

  /// Whether it was made of these keys; compared in constant time.
  public func fits(_ count: Int, _ key: Key, rounds: Int, until cancellation: Cancellation) throws
    -> Bool
  {
    try Self.value(count, key, salt, rounds, cancellation).isEqual(to: value)
  }

  private static func value(
    _ count: Int, _ key: Key, _ salt: [UInt8], _ rounds: Int, _ cancellation: Cancellation
  ) throws -> Secret {
    let hash = try HashStream(.sha256)
    var areRaw = true
    for index in 0..<count {
      try cancellation.check()
      // One at a time: each has a page of memory.
      if !take(try key(index), into: hash) { areRaw = false }
    }
    let password = try Secret(count: length) { try hash.finish(into: $0) }
    let wanted = Derivation(
      password: password, salt: salt, algorithm: .sha512,
      iterations: areRaw ? rawRounds : max(rounds, CipherProfile.format4.kdfIterations),
      length: length)
    guard let value = try Derivation.run([wanted], until: cancellation).first else {
      throw SealError.unsupported(.crypto(function: "PBKDF2"))
    }
    return value
  }

  /// Takes the parts of a key, each with its length before it; whether it is a raw one, which counts
  /// as the bytes that its digits stand for.
  private static func take(_ key: KeyMaterial, into hash: HashStream) -> Bool {
    func take(_ part: Secret?) {
      let count = UInt32(clamping: part?.count ?? 0)
      hash.update([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) })
      part?.withBytes { hash.update($0) }
    }
    switch key.kind {
    case .passphrase(let bytes):
      hash.update([0])
      take(bytes)
      return false
    case .raw(let raw, let hmac, let salt):
      hash.update([1])
      take(raw)
      take(hmac)
      take(salt.map { $0.withUnsafeBytes { Secret(copying: $0) } })
      return true
    }
  }
}
