// Why a file is taken for what it is: the facts that FileClassifier went by, for people and scripts
// that want to judge for themselves. No key is needed for any of them.

/// One fact about a file that speaks for or against a kind.
public enum KindReason: Sendable, Equatable {
  case noBytes
  /// A folder, a FIFO, a device.
  case notRegular(SpecialFile)
  case databaseMagic
  case journalMagic
  case logMagic
  /// The fields of the database header that decide the layout are in order.
  case headerFits
  /// The first of them that no database could have, by SQLite's name.
  case headerFlaw(field: String)
  /// Page 1 is a B-tree page whose cells stay inside.
  case firstPageFits
  /// What follows a readable header has the spread of ciphertext.
  case randomBehindHeader
  /// It begins as files of another format do.
  case otherFormat(OtherFormat)
  /// The first `bytes` bytes have the spread of ciphertext.
  case random(bytes: Int)
  /// They have not.
  case regular(bytes: Int)
  /// The first `bytes` bytes are all zeros.
  case zeros(bytes: Int)
  /// They are text.
  case text(bytes: Int)
  /// Some stretch of the start has the spread of ciphertext, so a key may fit all the same.
  case randomInPart
  /// Shorter than any page.
  case tooShort
  /// The size is a multiple of the smallest page, and of these page sizes.
  case wholePages(sizes: [Int])
  /// It is no multiple of any page size.
  case noWholePages
  /// Page 1 was taken from the log or journal beside the file.
  case firstPageBeside

  /// The start is text.
  var isText: Bool { if case .text = self { true } else { false } }
}

extension FileClassifier {
  /// What speaks for `kind` of a file of `size` bytes that begins with `start`.
  static func reasons(_ kind: FileKind, start: UnsafeRawBufferPointer, size: UInt64)
    -> [KindReason]
  {
    switch kind {
    case .empty: return [.noBytes]
    case .journal: return [.journalMagic]
    case .wal: return [.logMagic] + (mayBeEncrypted(start, kind, size: size) ? [.randomInPart] : [])
    default: break
    }
    if lacksMagicOnly(start) {
      return [.headerFlaw(field: DatabaseHeader.headerString), .firstPageFits]
    }
    if kind == .other, let format = OtherFormat.recognised(in: start) {
      let spread = spread(start)
      if spread.isText { return [.otherFormat(format), spread] }
      return [.otherFormat(format)]
        + (mayBeEncrypted(start, kind, size: size) ? shape(kind, start, size) : [])
    }
    guard start.starts(with: DatabaseHeader.magic) else {
      return [spread(start)] + shape(kind, start, size)
    }
    guard start.count >= 512 else { return [.databaseMagic, .tooShort] }
    var reasons: [KindReason] = [.databaseMagic]
    reasons.append(DatabaseHeader.flaw(in: start).map { .headerFlaw(field: $0) } ?? .headerFits)
    if kind == .sqlcipherPlaintextHeader || mayBeEncrypted(start, kind, size: size) {
      reasons.append(.randomBehindHeader)
    } else if reasons.last == .headerFits, firstPageMakesSense(start) {
      reasons.append(.firstPageFits)
    }
    return reasons
  }

  /// The page sizes that divide `size`, smallest first.
  static func pageSizes(dividing size: UInt64) -> [Int] {
    (9...16).map { 1 << $0 }.filter { size > 0 && size % UInt64($0) == 0 }
  }

  private static func spread(_ start: UnsafeRawBufferPointer) -> KindReason {
    let bytes = min(start.count, 4096)
    let sample = UnsafeRawBufferPointer(rebasing: start[..<bytes])
    if looksRandom(sample) { return .random(bytes: bytes) }
    if sample.allSatisfy({ $0 == 0 }) { return .zeros(bytes: bytes) }
    let isText = sample.allSatisfy { $0 >= 0x20 && $0 != 0x7f || (0x09...0x0d).contains($0) }
    return isText ? .text(bytes: bytes) : .regular(bytes: bytes)
  }

  private static func shape(_ kind: FileKind, _ start: UnsafeRawBufferPointer, _ size: UInt64)
    -> [KindReason]
  {
    if size < 512 { return [.tooShort] }
    let sizes = pageSizes(dividing: size)
    let shape: KindReason = sizes.isEmpty ? .noWholePages : .wholePages(sizes: sizes)
    return mayBeEncrypted(start, kind, size: size) ? [shape, .randomInPart] : [shape]
  }
}
