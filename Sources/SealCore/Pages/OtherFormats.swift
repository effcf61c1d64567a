// Formats that are not SQLite's, told by what their own documentation or source says stands at the
// start of a file. A salt is 16 random bytes and may begin like anything, so each sign is at least
// 37 bits long: the likelihood that one encrypted database looks so is below one in 10^11. But a salt
// can be chosen: where the sign ends within it, the file may be either.

extension OtherFormat {
  /// Whether the sign ends within the first 16 bytes, or all but.
  var standsInSalt: Bool {
    switch self {
    case .gzip, .zip, .bzip2, .xz, .zstd, .sqlText, .openPGP, .openSSL, .androidBackup: true
    case .realm, .realmEncrypted, .sqliteEncryption, .duckDB, .lmdb, .age: false
    }
  }

  /// The format of a file that begins with `start`; nil where none is recognised.
  static func recognised(in start: UnsafeRawBufferPointer) -> OtherFormat? {
    if isRealm(start) { return .realm }
    // github.com/duckdb/duckdb: storage_info.hpp. A version of 64 bits follows.
    if has("DUCK", start, at: 8), start.count >= 20, start[14..<20].allSatisfy({ $0 == 0 }) {
      return .duckDB
    }
    // github.com/LMDB/lmdb: mdb.c, MDB_MAGIC and version 1, behind a page header of 16 bytes.
    if has([0xde, 0xc0, 0xef, 0xbe, 1, 0, 0, 0], start, at: 16) { return .lmdb }
    if isEncryptedOtherwise(start) { return .sqliteEncryption }
    return packed(start) ?? sealed(start) ?? (isSQL(start) ? .sqlText : nil)
      ?? (isEncryptedRealm(start) ? .realmEncrypted : nil)
  }

  /// github.com/realm/realm-core: alloc_slab.hpp, `Header`. Two references, the mnemonic, two format
  /// versions, a reserved byte, flags of which one bit is used.
  private static func isRealm(_ start: UnsafeRawBufferPointer) -> Bool {
    guard has("T-DB", start, at: 16), start.count >= 24 else { return false }
    return start[20] < 64 && start[21] < 64 && start[22] == 0 && start[23] <= 1
  }

  /// github.com/realm/realm-core: encrypted_file_mapping.cpp, `IVTable`. The first 4096 bytes are 64
  /// records of counter and HMAC-SHA224, counter and HMAC before that; the pages follow. A page that
  /// was never written has a counter of 0, and the first page was.
  private static func isEncryptedRealm(_ start: UnsafeRawBufferPointer) -> Bool {
    guard start.count >= 8192 else { return false }
    func half(_ index: Int) -> (counter: UInt32, isBlank: Bool, looksLikeTag: Bool) {
      let bytes = UnsafeRawBufferPointer(rebasing: start[(32 * index)..<(32 * index + 32)])
      let counter = (0..<4).reduce(0) { $0 | UInt32(bytes[$1]) << (8 * UInt32($1)) }
      let tag = bytes[4...]
      // Of 28 random bytes, about 27 differ.
      return (counter, tag.allSatisfy { $0 == 0 }, Set(tag).count >= 18)
    }
    for record in 0..<64 {
      let (now, before) = (half(2 * record), half(2 * record + 1))
      guard now.counter < 1 << 24, before.counter <= now.counter,
        now.counter == 0 ? now.isBlank : now.looksLikeTag,
        before.counter == 0 ? before.isBlank : before.looksLikeTag
      else { return false }
    }
    return half(0).counter > 0
  }

  /// github.com/utelle/SQLite3MultipleCiphers: CIPHER_PAGE1_OFFSET; github.com/resilar/sqleet: sqleet.h.
  /// Bytes 16 to 23 stay in clear, so that the page size can be read; SQLCipher encrypts them, or
  /// leaves the 16 before them in clear too.
  private static func isEncryptedOtherwise(_ start: UnsafeRawBufferPointer) -> Bool {
    guard start.count >= 512, DatabaseHeader.flawBehindMagic(in: start) == nil,
      1...2 ~= start[18], 1...2 ~= start[19]
    else { return false }
    return FileClassifier.looksRandom(UnsafeRawBufferPointer(rebasing: start[24...]))
  }

  private static func packed(_ start: UnsafeRawBufferPointer) -> OtherFormat? {
    guard start.count >= 18 else { return nil }
    // RFC 1952: deflate, no reserved flag, one of the levels and systems that are defined.
    if has([0x1f, 0x8b, 8], start), start[3] & 0xe0 == 0, [0, 2, 4].contains(start[8]),
      start[9] <= 13 || start[9] == 255
    {
      return .gzip
    }
    // APPNOTE.TXT 4.3.7: a local header; the version that is needed is below 6.4.
    if has([0x50, 0x4b, 3, 4], start), start[4] < 64, start[5] == 0 { return .zip }
    if has("BZh", start), has([0x31, 0x41, 0x59, 0x26, 0x53, 0x59], start, at: 4) { return .bzip2 }
    // tukaani.org/xz/xz-file-format.txt: stream flags follow.
    if has([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0, 0], start) { return .xz }
    // RFC 8878: a frame whose reserved bit is 0, and whose first block is of a defined kind and at
    // most 128 KiB long.
    return isZstandard(start) ? .zstd : nil
  }

  private static func isZstandard(_ start: UnsafeRawBufferPointer) -> Bool {
    guard has([0x28, 0xb5, 0x2f, 0xfd], start), start[4] & 0x08 == 0 else { return false }
    let isSingle = start[4] & 0x20 != 0
    let sizes = [isSingle ? 1 : 0, 2, 4, 8]
    let at = 5 + (isSingle ? 0 : 1) + [0, 1, 2, 4][Int(start[4] & 3)] + sizes[Int(start[4] >> 6)]
    guard at + 2 < start.count else { return false }
    let block = Int(start[at]) | Int(start[at + 1]) << 8 | Int(start[at + 2]) << 16
    return (block >> 1) & 3 != 3 && block >> 3 <= 128 << 10
  }

  /// The program that has to open a file that begins so, where one encrypted it.
  public static func sealer(of start: UnsafeRawBufferPointer) -> OtherFormat? {
    let format = sealed(start)
    if let format, [.age, .openPGP, .openSSL].contains(format) { return format }
    return beginsSealedMessage(start) ? .openPGP : nil
  }

  /// RFC 4880, 4.2 and 5.1 to 5.3: a session key under a public key or a passphrase, of any kind, and
  /// behind it another packet of such a message. Shorter signs than a database's salt could be told by.
  private static func beginsSealedMessage(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let first = packet(bytes, at: 0), first.end < bytes.count,
      let next = tag(bytes[first.end]), [1, 3, 9, 18, 20].contains(next)
    else { return false }
    let body = bytes[first.body..<first.end]
    switch first.tag {
    case 1:
      return body.count > 10 && body[first.body] == 3
        && [1, 2, 16, 18, 25].contains(body[first.body + 9])
    case 3:
      return body.count >= 4 && 4...6 ~= body[first.body] && 1...13 ~= body[first.body + 1]
    default: return false
    }
  }

  private static func tag(_ byte: UInt8) -> UInt8? {
    if byte & 0xc0 == 0xc0 { return byte & 0x3f }
    return byte & 0x80 != 0 ? byte >> 2 & 0x0f : nil
  }

  /// A packet's tag and where its body stands; nil where it is none, or not all there.
  private static func packet(
    _ bytes: UnsafeRawBufferPointer, at start: Int
  ) -> (tag: UInt8, body: Int, end: Int)? {
    guard start + 6 < bytes.count, let tag = tag(bytes[start]) else { return nil }
    func number(_ at: Int, _ count: Int) -> Int {
      (0..<count).reduce(0) { $0 << 8 | Int(bytes[at + $1]) }
    }
    let (body, length): (Int, Int)
    if bytes[start] & 0x40 == 0 {
      let size = [1, 2, 4, 0][Int(bytes[start] & 3)]
      guard size > 0 else { return nil }
      (body, length) = (start + 1 + size, number(start + 1, size))
    } else {
      switch bytes[start + 1] {
      case ..<192: (body, length) = (start + 2, number(start + 1, 1))
      case ..<224: (body, length) = (start + 3, number(start + 1, 2) - (192 << 8) + 192)
      case 255: (body, length) = (start + 6, number(start + 2, 4))
      default: return nil
      }
    }
    return length > 0 && length < bytes.count - body ? (tag, body, body + length) : nil
  }

  private static func sealed(_ start: UnsafeRawBufferPointer) -> OtherFormat? {
    // github.com/C2SP/C2SP: age.md.
    if has("age-encryption.org/v1\n", start) || has("-----BEGIN AGE ENCRYPTED FILE-----", start) {
      return .age
    }
    if has("-----BEGIN PGP MESSAGE-----", start) { return .openPGP }
    // openssl-enc(1): 8 bytes of salt follow.
    if has("Salted__", start), start.count >= 16 { return .openSSL }
    // RFC 4880, 5.3: a session key under a passphrase, iterated and salted (that is 13 bytes long).
    if has([0x8c, 13, 4], start), start.count > 15, 1...13 ~= start[3], start[4] == 3,
      1...14 ~= start[5]
    {
      return .openPGP
    }
    // 5.1: a session key under a public one, RSA's of 2048 to 4096 bits, or X25519's.
    let isRSA =
      start.count > 12 && start[0] == 0x85 && 1...2 ~= start[1] && start[3] == 3
      && start[12] == 1 && [0x0c, 0x8c].contains(start[2])
    let isCurve =
      start.count > 12 && has([0x84, 0x5e, 3], start)
      && has([18, 1, 7], start, at: 11)
    if isRSA || isCurve { return .openPGP }
    return has("ANDROID BACKUP\n", start) ? .androidBackup : nil
  }

  /// Text that begins with a statement that makes a database, or as dumps do.
  private static func isSQL(_ start: UnsafeRawBufferPointer) -> Bool {
    let bytes = start.starts(with: [0xef, 0xbb, 0xbf]) ? start.dropFirst(3) : start[...]
    let first = bytes.drop { $0 <= 0x20 }.prefix(64).map { $0 | 0x20 }
    let openings: [StaticString] = [
      "pragma foreign_keys", "begin transaction;", "create table ", "create virtual table ",
      "-- mysql dump", "-- mariadb dump",
    ]
    return openings.contains { first.starts(with: KeyBytes.bytes($0).map { $0 | 0x20 }) }
  }

  private static func has(_ text: StaticString, _ start: UnsafeRawBufferPointer, at offset: Int = 0)
    -> Bool
  {
    start.dropFirst(offset).starts(with: KeyBytes.bytes(text))
  }

  private static func has(_ bytes: [UInt8], _ start: UnsafeRawBufferPointer, at offset: Int = 0)
    -> Bool
  {
    start.dropFirst(offset).starts(with: bytes)
  }
}
