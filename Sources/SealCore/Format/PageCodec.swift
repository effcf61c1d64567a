// One page at a time between what SQLCipher has on disk and what SQLite sees. A page on disk is
//   [plain start, page 1 only][ciphertext to the usable size][IV 16][tag][random filler]
// and its tag covers the ciphertext, the IV and the page number: not the salt, not a plaintext
// header, not the filler (sqlcipher_page_cipher in SQLCipher's src/sqlcipher.c). Pages are
// authenticated before they are decrypted.

/// What a page on disk turned out to be.
enum PageVerdict: Sendable, Equatable {
  /// The tag is right, or this profile has none.
  case opened
  /// Zeros from end to end: a page that was never written, or that was wiped.
  case blank
  /// The tag is wrong: another key, other settings, or damage.
  case forged
}

/// Seals and opens the pages of one database. For one thread at a time: make one a thread.
final class PageCodec {
  /// The 16 bytes that every SQLite database starts with; on disk the salt takes their place.
  static let magic: [UInt8] = Array("SQLite format 3\0".utf8)
  static let ivLength = 16

  let profile: CipherProfile
  /// The database's salt, 16 bytes.
  let salt: [UInt8]
  /// Bytes of a page, and those before the reserve.
  let pageSize: Int
  let usableSize: Int

  let tagLength: Int
  private let encryptor: CipherContext
  private let decryptor: CipherContext
  private let authenticator: MacContext?
  private let random: RandomPool
  private let scratch: UnsafeMutableRawPointer
  /// Made for the first run of pages that is worth it.
  let many: MultiBufferLoader

  /// Throws `.badProfile` for settings or a salt that cannot be, `.unsupported(.crypto)` where
  /// libcrypto lacks an algorithm.
  init(
    profile: CipherProfile, keys: PageKeys, salt: [UInt8],
    provider: CryptoProvider = .current
  ) throws {
    try profile.validate()
    guard salt.count == KeyDerivation.saltLength else {
      throw SealError.badProfile(.saltLength(salt.count))
    }
    self.profile = profile
    self.salt = salt
    pageSize = profile.pageSize
    usableSize = profile.pageSize - profile.reserve
    tagLength = profile.hmacAlgorithm?.length ?? 0
    encryptor = try CipherContext(key: keys.encryption, .encrypt)
    decryptor = try CipherContext(key: keys.encryption, .decrypt)
    if let algorithm = profile.hmacAlgorithm {
      guard let key = keys.hmac else {
        throw SealError.unsupported(.crypto(function: "EVP_MAC_init"))
      }
      authenticator = try MacContext(key: key, algorithm)
    } else {
      authenticator = nil
    }
    random = RandomPool()
    many = MultiBufferLoader(provider, keys: keys, hash: profile.hmacAlgorithm)
    scratch = .allocate(byteCount: 64, alignment: 16)
  }

  deinit { scratch.deallocate() }

  /// Where encryption starts in page `number`, in bytes.
  func start(of number: UInt32) -> Int {
    number == 1 ? max(Self.magic.count, profile.plaintextHeader) : 0
  }

  /// The page number as the four bytes in memory that the tag covers.
  func suffix(_ number: UInt32) -> UInt32 {
    profile.pageNumberOrder == .bigEndian ? number.bigEndian : number.littleEndian
  }

  /// Authenticates page `number` (pageSize bytes) without decrypting it.
  func authenticate(page number: UInt32, _ buffer: UnsafeRawPointer) -> PageVerdict {
    if isBlank(buffer) { return .blank }
    guard let authenticator else { return .opened }
    let start = start(of: number)
    // The tag ends where the IV does. A refusal by libcrypto must not pass for a right tag.
    let covered = usableSize + Self.ivLength - start
    guard
      authenticator.tag(
        buffer + start, count: covered, suffix: suffix(number), into: scratch),
      LibCrypto.isEqual(scratch, buffer + usableSize + Self.ivLength, count: tagLength)
    else { return .forged }
    return .opened
  }

  /// Authenticates page `number` (pageSize bytes) and, where that succeeds, decrypts it in place:
  /// the magic is put back over the salt and the reserve is zeroed. Else the buffer stays as it was.
  func open(page number: UInt32, in buffer: UnsafeMutableRawPointer) -> PageVerdict {
    let verdict = authenticate(page: number, buffer)
    guard verdict == .opened else { return verdict }
    return decrypt(page: number, in: buffer) ? .opened : .forged
  }

  /// The second half of `open`, for bytes that are known to be those of a page that authenticated.
  /// False where libcrypto refuses.
  func decrypt(page number: UInt32, in buffer: UnsafeMutableRawPointer) -> Bool {
    let start = start(of: number)
    let iv = buffer + usableSize
    guard decryptor.run(buffer + start, count: usableSize - start, iv: iv) else { return false }
    restore(page: number, in: buffer)
    return true
  }

  /// What a decrypted page has in place of salt and reserve.
  func restore(page number: UInt32, in buffer: UnsafeMutableRawPointer) {
    if number == 1, profile.plaintextHeader == 0 {
      buffer.copyMemory(from: Self.magic, byteCount: Self.magic.count)
    }
    (buffer + usableSize).initializeMemory(as: UInt8.self, repeating: 0, count: profile.reserve)
  }

  /// What a page has before it is encrypted: the IV, the random filler, and page 1 its salt.
  func prepare(page number: UInt32, in buffer: UnsafeMutableRawPointer) throws {
    let iv = buffer + usableSize
    let filler = profile.reserve - Self.ivLength - tagLength
    try random.take(Self.ivLength, into: iv)
    if filler > 0 { try random.take(filler, into: iv + Self.ivLength + tagLength) }
    if number == 1, profile.plaintextHeader == 0 {
      buffer.copyMemory(from: salt, byteCount: salt.count)
    }
  }

  /// Encrypts and tags page `number` (pageSize bytes) in place, with a fresh IV; page 1 gets the
  /// salt where it has no plaintext header. What stood in the reserve is lost: IV, tag, and a
  /// filler that is random, as SQLCipher's own is. Throws `.unsupported(.crypto)`.
  func seal(page number: UInt32, in buffer: UnsafeMutableRawPointer) throws {
    let start = start(of: number)
    let iv = buffer + usableSize
    let tag = iv + Self.ivLength
    try prepare(page: number, in: buffer)
    guard encryptor.run(buffer + start, count: usableSize - start, iv: iv) else {
      throw SealError.unsupported(.crypto(function: "EVP_CipherUpdate"))
    }
    guard let authenticator else { return }
    let covered = usableSize + Self.ivLength - start
    guard
      authenticator.tag(buffer + start, count: covered, suffix: suffix(number), into: tag)
    else { throw SealError.unsupported(.crypto(function: "EVP_MAC_final")) }
  }

  /// Whether a page is zeros from end to end. Any other page answers within its first words.
  func isBlank(_ buffer: UnsafeRawPointer) -> Bool {
    for offset in stride(from: 0, to: pageSize, by: 8)
    where buffer.loadUnaligned(fromByteOffset: offset, as: UInt64.self) != 0 {
      return false
    }
    return true
  }
}
