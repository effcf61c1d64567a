// The few things that the core wants of OpenSSL beside ciphers: its name, its random bytes, and a
// comparison whose time tells nothing. Everything else of libcrypto stays behind this folder.

internal import CLibCrypto

/// OpenSSL's libcrypto, as the system provides it.
public enum LibCrypto {
  /// Name and version of the library that was loaded, for instance `OpenSSL 3.0.19 27 Jan 2026`.
  public static var version: String {
    guard let text = OpenSSL_version(OPENSSL_VERSION) else { return "unknown" }
    return String(cString: text)
  }

  /// Fills `bytes` from the public generator: IVs, salts. Throws `.unsupported(.crypto)`.
  static func fillRandom(_ bytes: UnsafeMutableRawBufferPointer) throws {
    try fill(bytes, "RAND_bytes") { RAND_bytes($0, $1) }
  }

  /// Random bytes that are no secret: IVs, salts. Throws `.unsupported(.crypto)`.
  public static func randomBytes(_ count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    try bytes.withUnsafeMutableBytes { try fillRandom($0) }
    return bytes
  }

  /// Random bytes that are to be a key, from the private generator. Throws `.unsupported(.crypto)`.
  public static func randomSecret(_ count: Int) throws -> Secret {
    try Secret(count: count) { try fill($0, "RAND_priv_bytes") { RAND_priv_bytes($0, $1) } }
  }

  /// Whether `count` bytes are equal, in time that depends on `count` only.
  static func isEqual(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer, count: Int) -> Bool {
    CRYPTO_memcmp(a, b, count) == 0
  }

  private static func fill(
    _ bytes: UnsafeMutableRawBufferPointer, _ function: String,
    by generator: (UnsafeMutablePointer<UInt8>, Int32) -> Int32
  ) throws {
    // The generators count in Int32; a key or a batch of IVs is far below one chunk.
    let chunk = 1 << 20
    var rest = UnsafeMutableRawBufferPointer(rebasing: bytes[...])
    while rest.count > 0 {
      let part = UnsafeMutableRawBufferPointer(rebasing: rest.prefix(chunk))
      let filled = part.withMemoryRebound(to: UInt8.self) { target in
        target.baseAddress.map { generator($0, Int32(truncatingIfNeeded: target.count)) } ?? 0
      }
      guard filled == 1 else { throw SealError.unsupported(.crypto(function: function)) }
      rest = UnsafeMutableRawBufferPointer(rebasing: rest.dropFirst(part.count))
    }
  }
}
