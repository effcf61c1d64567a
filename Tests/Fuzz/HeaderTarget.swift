// The start of a file: the database header, what kind of file it is, and why. Input: the first byte
// says how the rest is completed, the rest is the start of the file.
@testable import SealCore

enum HeaderTarget {
  /// What the first byte asks for.
  private enum Completion {
    static let magic: UInt8 = 1
    static let random: UInt8 = 2
    static let zeros: UInt8 = 4
    static let fields: UInt8 = 8
  }

  static func run(_ bytes: [UInt8]) throws {
    var input = FuzzInput(bytes)
    let completion = input.byte()
    var start = input.all()
    if completion & Completion.magic != 0 { start = DatabaseHeader.magic + start }
    let wanted = completion & (Completion.random | Completion.zeros) == 0 ? start.count : 4096
    var state: UInt32 = 0x9e37_79b9
    while start.count < wanted {
      state = state &* 1_664_525 &+ 1_013_904_223
      start.append(completion & Completion.random != 0 ? UInt8(state >> 24) : 0)
    }
    if completion & Completion.fields != 0, start.count >= 24 {
      start.replaceSubrange(21..<24, with: [64, 32, 32])
    }
    try start.withUnsafeBytes { try judge($0, size: UInt64(start.count) << (completion >> 4)) }
  }

  private static func judge(_ start: UnsafeRawBufferPointer, size: UInt64) throws {
    let flaw = DatabaseHeader.flaw(in: start)
    do {
      let header = try DatabaseHeader(start, path: "f")
      try demand(flaw == nil, "a header with a flaw was understood")
      try check(header, start)
    } catch SealError.damaged(let damage) {
      guard let flaw else { throw Broken(description: "a header without a flaw was refused") }
      try demand(damage.flaw == .header(field: flaw), "another flaw was thrown than is told")
    } catch SealError.unsupported(.fileFormat(let version)) {
      try demand(flaw == nil && version == start[19] && version > 2, "unsupported without a cause")
    }
    let kind = FileClassifier.kind(start: start, size: size)
    let reasons = FileClassifier.reasons(kind, start: start, size: size)
    try demand(!reasons.isEmpty, "a kind without a reason")
    try demand((kind == .empty) == (size == 0), "only an empty file is empty")
    if FileClassifier.mayBeEncrypted(start, kind, size: size) {
      try demand([.plaintext, .other, .wal].contains(kind), "a key is tried for what is known")
      try demand(reasons.contains { $0 == .randomBehindHeader || $0 == .randomInPart }, "no cause")
    }
    if reasons.contains(.headerFits) { try demand(flaw == nil, "a flawed header fits") }
    for reason in reasons {
      switch reason {
      case .random(let count), .regular(let count), .zeros(let count), .text(let count):
        try demand(count <= start.count, "a reason of bytes that are not there")
      case .wholePages(let sizes):
        try demand(sizes.allSatisfy { size % UInt64($0) == 0 }, "pages that are not whole")
      default: break
      }
    }
  }

  private static func check(_ header: DatabaseHeader, _ start: UnsafeRawBufferPointer) throws {
    let geometry = header.geometry
    try demand(PageGeometry.isPageSize(geometry.pageSize), "a page size that is none")
    try demand((480...65536).contains(geometry.usable), "too few usable bytes")
    try demand(geometry.localMin > 0 && geometry.localMin < geometry.indexMax, "bounds in disorder")
    // What the loader of trees rests on: a page of an index always has room for two cells.
    try demand(2 * (geometry.indexMax + 15) + 12 <= geometry.usable, "two cells do not fit")
    try demand(geometry.lockPage >= 2, "page 1 is the lock page")
    for number: UInt32 in [1, 2, 3, 1000, geometry.lockPage, .max] {
      let map = geometry.pointerMapPage(for: number)
      try demand(map != geometry.lockPage, "a pointer map in the lock page")
      try demand(number != geometry.lockPage || !geometry.isPointerMap(number), "lock page as map")
    }
    if header.pageCount != nil { try demand(header.storedPageCount != 0, "a count of no pages") }
    try demand(header.keepsMeaning(of: header), "a header differs from itself")
  }
}
