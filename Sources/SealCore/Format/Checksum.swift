// The checksum of a file, as other tools compute it too: SHA-256.

internal import CLibCrypto

/// The checksum of bytes.
public enum Checksum {
  /// The SHA-256 of `bytes`, as 64 lower-case hex digits. Throws `.unsupported(.crypto)`.
  public static func sha256(_ bytes: [UInt8]) throws -> String {
    var digest = [UInt8](repeating: 0, count: 32)
    var length: UInt32 = 32
    let done = EVP_Digest(bytes, bytes.count, &digest, &length, EVP_sha256(), nil)
    guard done == 1, length == 32 else {
      throw SealError.unsupported(.crypto(function: "EVP_Digest"))
    }
    return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
