// The costly step, made a value: whoever needs a key says what it is derived from, and whoever knows
// what else is to be derived runs several together. Nothing derived is kept here.

internal import CLibCrypto
internal import CMultiBuffer

/// What a key is derived from: PBKDF2-HMAC (RFC 8018) with a password of any length and any bytes.
struct Derivation: Sendable {
  let password: Secret
  let salt: [UInt8]
  let algorithm: HashAlgorithm
  /// Rounds, at least 1.
  let iterations: Int
  /// Bytes of the key.
  var length = 32

  /// Whether the two can run side by side.
  func isAlike(_ other: Derivation) -> Bool {
    algorithm == other.algorithm && iterations == other.iterations
  }

  /// How many that are alike are best run together; 1 where one alone costs no more.
  static func width(of algorithm: HashAlgorithm, _ code: DerivationCode = .current) -> Int {
    max(1, Int(dbseal_derivation_width(algorithm.cHash, code.cCode)))
  }

  /// The most that `width` answers.
  static let largestWidth = HashAlgorithm.allCases.map { width(of: $0) }.max() ?? 1

  /// Runs them now, on this thread; those that are alike side by side. The keys in their order.
  /// Throws `.badProfile` and `.unsupported(.crypto)`, and `.interrupted` soon after the end was asked for.
  static func run(
    _ wanted: [Derivation], _ code: DerivationCode = .current,
    until cancellation: Cancellation? = nil
  ) throws -> [Secret] {
    var keys = [Secret?](repeating: nil, count: wanted.count)
    for index in wanted.indices where keys[index] == nil {
      let alike = wanted.indices.filter { keys[$0] == nil && wanted[$0].isAlike(wanted[index]) }
      for (place, key) in zip(alike, try runAlike(alike.map { wanted[$0] }, code, cancellation)) {
        keys[place] = key
      }
    }
    return keys.compactMap { $0 }
  }

  private static func runAlike(
    _ wanted: [Derivation], _ code: DerivationCode, _ cancellation: Cancellation?
  ) throws -> [Secret] {
    guard let first = wanted.first else { return [] }
    guard let rounds = UInt32(exactly: first.iterations), rounds > 0, rounds <= Int32.max else {
      throw SealError.badProfile(.kdfIterations(first.iterations))
    }
    // Each key in memory of its own page, as every secret, once it is there.
    var isDone = false
    let all = Secret(count: wanted.reduce(0) { $0 + $1.length }) { out in
      isDone = derive(wanted, code, cancellation, into: out)
    }
    try cancellation?.check()
    guard isDone else { return try wanted.map { try $0.byPKCS5() } }
    guard wanted.count > 1 else { return [all] }
    var start = 0
    return wanted.map { each in
      defer { start += each.length }
      return all.slice(start..<(start + each.length))
    }
  }

  /// False where libcrypto has no compression functions.
  private static func derive(
    _ wanted: [Derivation], _ code: DerivationCode, _ cancellation: Cancellation?,
    into out: UnsafeMutableRawBufferPointer
  ) -> Bool {
    guard let first = wanted.first, let base = out.baseAddress else { return false }
    let salts = wanted.flatMap(\.salt)
    return withPasswords(wanted[...], []) { passwords in
      salts.withUnsafeBufferPointer { salts in
        var (salt, key) = (salts.baseAddress, base.assumingMemoryBound(to: UInt8.self))
        let described = zip(wanted, passwords).map { each, password in
          defer {
            salt = salt.map { $0 + each.salt.count }
            key += each.length
          }
          return dbseal_derivation(
            password: password.baseAddress?.assumingMemoryBound(to: UInt8.self),
            password_length: UInt32(clamping: password.count), salt: salt,
            salt_length: UInt32(clamping: each.salt.count), key: key,
            key_length: UInt32(clamping: each.length))
        }
        return withStop(cancellation) { stop in
          dbseal_derive(
            first.algorithm.cHash, UInt32(clamping: first.iterations), code.cCode, described,
            UInt32(clamping: described.count), stop) == 1
        }
      }
    }
  }

  /// Calls `body` with what asks whether the end was asked for.
  private static func withStop(
    _ cancellation: Cancellation?, _ body: (UnsafePointer<dbseal_derivation_stop>?) -> Bool
  ) -> Bool {
    guard let cancellation else { return body(nil) }
    return withExtendedLifetime(cancellation) {
      var stop = dbseal_derivation_stop(
        asked: { context in
          guard let context else { return 0 }
          let cancellation = Unmanaged<Cancellation>.fromOpaque(context).takeUnretainedValue()
          return cancellation.requested == nil ? 0 : 1
        }, context: UnsafeRawPointer(Unmanaged.passUnretained(cancellation).toOpaque()))
      return body(&stop)
    }
  }

  /// Calls `body` with the bytes of all passwords.
  private static func withPasswords<R>(
    _ rest: ArraySlice<Derivation>, _ bytes: [UnsafeRawBufferPointer],
    _ body: ([UnsafeRawBufferPointer]) -> R
  ) -> R {
    guard let next = rest.first else { return body(bytes) }
    return next.password.withBytes { withPasswords(rest.dropFirst(), bytes + [$0], body) }
  }

  /// The same by libcrypto's own PBKDF2, which is in every build of it.
  func byPKCS5() throws -> Secret {
    guard let passwordLength = Int32(exactly: password.count),
      let saltLength = Int32(exactly: salt.count),
      let rounds = Int32(exactly: iterations), rounds > 0, let length = Int32(exactly: length)
    else { throw SealError.badProfile(.kdfIterations(iterations)) }
    let digest =
      switch algorithm {
      case .sha1: EVP_sha1()
      case .sha256: EVP_sha256()
      case .sha512: EVP_sha512()
      }
    return try Secret(count: Int(length)) { out in
      let derived = password.withBytes { password in
        password.withMemoryRebound(to: CChar.self) { password in
          out.withMemoryRebound(to: UInt8.self) { out in
            PKCS5_PBKDF2_HMAC(
              password.baseAddress, passwordLength, salt, saltLength, rounds, digest, length,
              out.baseAddress)
          }
        }
      }
      guard derived == 1 else {
        throw SealError.unsupported(.crypto(function: "PKCS5_PBKDF2_HMAC"))
      }
    }
  }
}

/// Runs derivations, at once or together with those that others ask for; the keys in their order.
typealias Deriver = @Sendable (_ wanted: [Derivation]) throws -> [Secret]

extension HashAlgorithm {
  fileprivate var cHash: dbseal_mb_hash {
    switch self {
    case .sha1: DBSEAL_MB_SHA1
    case .sha256: DBSEAL_MB_SHA256
    case .sha512: DBSEAL_MB_SHA512
    }
  }
}

extension DerivationCode {
  fileprivate var cCode: dbseal_derivation_code {
    switch self {
    case .oneByOne: DBSEAL_DERIVE_ONE_BY_ONE
    case .avx2: DBSEAL_DERIVE_AVX2
    case .avx512: DBSEAL_DERIVE_AVX512
    }
  }
}
