// Whether decrypted bytes look like pages of SQLite. Databases without page tags have no other
// witness that the key was right. It is evidence, never proof; every byte here may be hostile.
// The layouts are those of sqlite.org/fileformat2.html, sections 1.3 and 1.6.

/// Judges decrypted pages by their form.
enum PlainPage {
  /// Whether `page` is a first page of a database with `profile`'s page size. Bytes before
  /// `profile.plaintextHeader` were never encrypted: they must fit too, but say nothing of the key.
  static func isFirst(_ page: UnsafeRawBufferPointer, profile: CipherProfile) -> Bool {
    guard page.count == profile.pageSize, page.count >= 512 else { return false }
    let size = number16(page, 16)
    guard size == (profile.pageSize == 65536 ? 1 : profile.pageSize) else { return false }
    guard page[19] <= 2 else { return false }
    guard page[21] == 64, page[22] == 32, page[23] == 32 else { return false }
    // Byte 20 may exceed the codec's reserve: SQLCipher 4 leaves 80 there for every format.
    let usable = profile.pageSize - Int(page[20])
    guard usable >= 480, number32(page, 44) <= 4, number32(page, 56) <= 3 else { return false }
    guard page[72..<92].allSatisfy({ $0 == 0 }) else { return false }
    return isTreePage(page, headerAt: 100, usable: usable, kinds: [0x05, 0x0d], mayBeEmpty: true)
  }

  /// Whether `page`, not the first one, is surely a B-tree page with cells. Overflow pages, free
  /// pages and pointer maps are not: a sample of pages must find one that is.
  static func isTree(_ page: UnsafeRawBufferPointer) -> Bool {
    let kinds: [UInt8] = [0x02, 0x05, 0x0a, 0x0d]
    return isTreePage(page, headerAt: 0, usable: page.count, kinds: kinds, mayBeEmpty: false)
  }

  private static func isTreePage(
    _ page: UnsafeRawBufferPointer, headerAt start: Int, usable: Int, kinds: [UInt8],
    mayBeEmpty: Bool
  ) -> Bool {
    guard page.count >= start + 12, kinds.contains(page[start]) else { return false }
    let isInterior = page[start] < 0x0a
    let pointers = start + (isInterior ? 12 : 8)
    let cells = number16(page, start + 3)
    let content = number16(page, start + 5)
    let contentStart = content == 0 ? 65536 : content
    guard page[start + 7] <= 60, number16(page, start + 1) < usable else { return false }
    guard pointers + 2 * cells <= contentStart, contentStart <= usable else { return false }
    guard cells > 0 || mayBeEmpty else { return false }
    return (0..<cells).allSatisfy { index in
      let cell = number16(page, pointers + 2 * index)
      return cell >= contentStart && cell < usable
    }
  }

  private static func number16(_ page: UnsafeRawBufferPointer, _ offset: Int) -> Int {
    Int(page[offset]) << 8 | Int(page[offset + 1])
  }

  private static func number32(_ page: UnsafeRawBufferPointer, _ offset: Int) -> Int {
    number16(page, offset) << 16 | number16(page, offset + 2)
  }
}
