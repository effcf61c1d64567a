// Who encrypts and hashes pages: libcrypto, one page after another, or the multi-buffer library,
// many side by side; and whether keys are derived side by side. Chosen here and nowhere else. All
// give the same bytes.

internal import CMultiBuffer

/// The code that seals and opens pages.
public enum CryptoProvider: Sendable, Equatable {
  /// OpenSSL's libcrypto: everywhere.
  case openSSL
  /// libipsec-mb, where it was built in and the processor has what it needs.
  case multiBuffer

  /// The one of this process: `$DBSEAL_CRYPTO` is `openssl` to keep to libcrypto.
  public static let current: CryptoProvider =
    keepsToLibCrypto || name == nil ? .openSSL : .multiBuffer

  /// `$DBSEAL_CRYPTO` is `openssl`: nothing but libcrypto encrypts, hashes or derives.
  static var keepsToLibCrypto: Bool { System.environment("DBSEAL_CRYPTO") == "openssl" }

  /// The multi-buffer library's own name, version and code path; nil where it cannot be used.
  static let name: String? = dbseal_mb_name().map { String(cString: $0) }

  /// What `--version` says, for instance `OpenSSL 3.0.19 27 Jan 2026, ipsec-mb 1.3.0 (AVX512)`.
  public static var description: String {
    guard current == .multiBuffer, let name else { return LibCrypto.version }
    return "\(LibCrypto.version), \(name)"
  }
}

/// The code that derives several keys.
enum DerivationCode: Sendable, CaseIterable {
  /// One after the other, by libcrypto's hashes: everywhere.
  case oneByOne
  /// Side by side in vectors; on a processor without them it is as the one before.
  case avx2, avx512

  /// The one of this process.
  static let current: DerivationCode =
    if CryptoProvider.keepsToLibCrypto {
      .oneByOne
    } else {
      switch dbseal_derivation_best() {
      case DBSEAL_DERIVE_AVX512: .avx512
      case DBSEAL_DERIVE_AVX2: .avx2
      default: .oneByOne
      }
    }
}
