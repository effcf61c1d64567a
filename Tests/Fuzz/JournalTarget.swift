// The rollback journal: what recovery would put back. Input: a flags byte (1: the rest is a journal
// as it is), sizes, nonce, then segments of records whose checksums are made right unless the input
// wants them wrong. Whatever the journal is, a model that follows pager.c reads it too, and both
// must put back the same pages.
@testable import SealCore

enum JournalTarget {
  private static let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]

  static func run(_ bytes: [UInt8]) throws {
    var input = FuzzInput(bytes)
    let flags = input.byte()
    let journal = flags & 1 == 0 ? write(&input) : input.all()
    let scratch = try ScratchFile("journal")
    try scratch.fill(journal)
    let known = flags & 2 == 0 ? nil : 1024
    let found = try RollbackJournal.read(
      scratch.path, pageSize: known, cancellation: Cancellation())
    let look = try RollbackJournal.look(scratch.path, pageSize: known)
    guard let found else { return try demand(look == .finished, "it is nothing and pending") }
    guard let overlay = found.overlay else {
      return try demand(found.flaw?.cause == .header, "nothing is put back without a flaw")
    }
    try demand(look == .pending(pageSize: overlay.pageSize), "it is finished and put back")
    let model = Model(journal, pageSize: known)
    try demand(overlay.offsets == model.offsets, "pager.c puts other pages back")
    try demand(overlay.pageCount == model.pageCount, "pager.c makes it another size")
    for (number, offset) in overlay.offsets {
      try demand(number >= 1 && number <= overlay.pageCount, "a page outside of the database")
      try demand(
        Int(offset) + overlay.pageSize + 4 <= journal.count, "a page behind the journal's end")
    }
    try demand(overlay.records >= overlay.offsets.count, "fewer records than pages")
    try demand(
      overlay.records * (overlay.pageSize + 8) <= journal.count, "more records than there are")
    if let flaw = found.flaw, flaw.cause != .header, flaw.cause != .count {
      try demand(flaw.record >= 1, "no record is the bad one")
    }
  }

  /// A journal out of the input: fileformat2.html, "The Rollback Journal".
  private static func write(_ input: inout FuzzInput) -> [UInt8] {
    let pageSize = 512 << Int(input.byte() % 2)
    let sector = 32 << Int(input.byte() % 6)
    let pages = input.count()
    var journal: [UInt8] = []
    while !input.isEmpty, journal.count < 1 << 17 {
      journal += [UInt8](repeating: 0, count: (sector - journal.count % sector) % sector)
      let nonce = input.number()
      let (fault, claim, count) = (input.byte(), input.byte(), Int(input.byte() % 24))
      let claimed =
        claim == 255 ? UInt32.max : UInt32(truncatingIfNeeded: count + Int(Int8(bitPattern: claim)))
      var head = magic + bigEndian(claimed) + bigEndian(nonce)
      head += bigEndian(fault & 2 == 0 ? pages : input.count())
      head += bigEndian(UInt32(fault & 4 == 0 ? sector : 1 << Int(input.byte() % 20)))
      head += bigEndian(UInt32(fault & 8 == 0 ? pageSize : Int(input.count())))
      if fault & 1 != 0 { head[Int(input.byte() % 8)] ^= input.byte() }
      journal += head
      journal += [UInt8](repeating: 0, count: max(0, sector - head.count))
      for _ in 0..<count {
        let number = input.count()
        let (fill, fault) = (input.byte(), input.byte())
        var sum = nonce
        for _ in stride(from: pageSize - 200, to: 0, by: -200) { sum = sum &+ UInt32(fill) }
        journal += bigEndian(number) + [UInt8](repeating: fill, count: pageSize)
        journal += bigEndian(fault & 1 == 0 ? sum : sum &+ 1)
      }
      if fault & 16 != 0 { journal.removeLast(min(journal.count, Int(input.byte()))) }
    }
    return journal
  }

  /// pager_playback and what it calls, of a hot journal.
  private struct Model {
    var offsets: [UInt32: UInt64] = [:]
    var pageCount: UInt32 = 0

    init(_ journal: [UInt8], pageSize known: Int?) {
      func number(_ place: Int) -> UInt32 {
        var input = FuzzInput(Array(journal[place..<(place + 4)]))
        return input.number()
      }
      var sector = 0
      var pageSize = 0
      var position = 0
      var isFirst = true
      while true {
        if !isFirst { position = (position + sector - 1) / sector * sector }
        guard position + 28 <= journal.count, journal[position...].starts(with: magic) else {
          return
        }
        var records = Int(number(position + 8))
        let (nonce, size) = (number(position + 12), number(position + 16))
        if isFirst {
          sector = Int(number(20))
          pageSize = number(24) == 0 ? known ?? 0 : Int(number(24))
          pageCount = size
        }
        position += sector
        isFirst = false
        if records == Int(UInt32.max) { records = (journal.count - sector) / (pageSize + 8) }
        for _ in 0..<max(0, records) {
          guard position + pageSize + 8 <= journal.count else { return }
          let (page, start) = (number(position), position + 4)
          position += pageSize + 8
          if page == 0 || page == PageGeometry.lockPage(pageSize: pageSize) {
            position = journal.count
            break
          }
          if page > pageCount { continue }
          var sum = nonce
          for place in stride(from: pageSize - 200, to: 0, by: -200) {
            sum = sum &+ UInt32(journal[start + place])
          }
          guard sum == number(start + pageSize) else {
            position = journal.count
            break
          }
          offsets[page] = UInt64(start)
        }
      }
    }
  }
}
