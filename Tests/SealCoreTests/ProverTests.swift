// Plan: the proof of an output fails for a byte that a bad disk changed, wherever it stands.
// - what a peer wrote is proven to have the content that was read from it, formats with tags;
// - one bit changed in the salt, which no tag covers, or in any page: the proof fails;
// - both for outputs that are compared record by record and for those whose pages kept their places;
// - of the latter, what holds other bytes under right tags is not proven either;
// - the same for a plaintext output, whose pages have no tags at all: any bit of any page.

import Foundation
import Testing

@testable import SealCore

@Suite struct ProverTests {
  private static let fixtures = Fixture.all.filter {
    $0.settings.hmac_algorithm != "none" && $0.settings.format ?? 4 > 1
      && $0.settings.plaintext_header ?? 0 == 0
  }

  /// Proves the file at `url`, whose content was read from the fixture as the peer left it.
  /// `keeps`: as an output whose pages kept their places. `spoil` changes what was written.
  private func prove(
    _ url: URL, _ fixture: Fixture, keeps: Bool, spoil: (inout WrittenContent) -> Void = { _ in }
  ) throws -> Proof {
    let codec = try fixture.codec()
    let material = try fixture.material()
    let keys = try KeyDerivation.derive(material, profile: codec.profile, salt: codec.salt)
    let cipher = TargetCipher(
      profile: codec.profile, keys: keys, salt: codec.salt,
      material: TargetCipher.underived(material, keys, codec.salt))
    let original = try File(
      Fixture.folder.appendingPathComponent(fixture.file).path, .read)
    let pages = UInt32(try original.size() / UInt64(codec.pageSize))
    let store = PageStore(
      pages: OutputPages(original, path: "original"), pageSize: codec.pageSize, pageCount: pages,
      codec: cipher.codec)
    let reader = try ReadAhead(store, workers: 0, cancellation: Cancellation())
    let header = try DatabaseHeader.read(from: reader, path: "original").header
    let key = try StreamDigest.randomKey()
    var content = WrittenContent(
      key: key, summary: try ContentWalk.summary(of: reader, path: "original", key: key))
    if keeps {
      var sum = PageSum()
      let plain = try #require(try codec.openAll(fixture.bytes()))
      plain.withUnsafeBytes { all in
        for page in 0..<Int(pages) {
          let bytes = UnsafeRawBufferPointer(rebasing: all[(page * codec.pageSize)...])
          sum.add(UInt32(page + 1), bytes, codec.pageSize, key)
        }
      }
      content.sum = sum
      content.blank = []
    }
    spoil(&content)
    return try Prover(
      file: File(url.path, .read), path: "output", pageSize: codec.pageSize, pageCount: pages,
      source: header, cipher: cipher, workers: 0, context: OperationContext(), oldKey: nil
    ).prove(content).0
  }

  @Test(arguments: fixtures, [false, true])
  func findsAChangedByteAnywhere(_ fixture: Fixture, keeps: Bool) throws {
    try withFolder { folder in
      let url = folder.appendingPathComponent("output.db")
      let bytes = try fixture.bytes()
      try Data(bytes).write(to: url)
      #expect(try prove(url, fixture, keeps: keeps).records > 0)
      var generator = SeededGenerator(state: 3)
      let usable = try fixture.codec().usableSize
      let size = try fixture.codec().pageSize
      let tag = try fixture.codec().profile.hmacAlgorithm?.length ?? 0
      var places = Array(0..<16)
      for _ in 0..<6 {
        let page = Int.random(in: 0..<(bytes.count / size), using: &generator)
        places.append(page * size + Int.random(in: 16..<(usable + 16 + tag), using: &generator))
      }
      for place in places {
        var changed = bytes
        changed[place] ^= 0x20
        try Data(changed).write(to: url)
        #expect(throws: SealError.self, "byte \(place)") {
          try prove(url, fixture, keeps: keeps)
        }
      }
    }
  }

  @Test(arguments: fixtures)
  func findsOtherBytesUnderRightTags(_ fixture: Fixture) throws {
    try withFolder { folder in
      let url = folder.appendingPathComponent("output.db")
      try Data(fixture.bytes()).write(to: url)
      let refusal = SealError.selfCheckFailed(path: "output", stage: .content)
      // What was written is one bit, or one page, away from what the file holds.
      #expect(throws: refusal) {
        try prove(url, fixture, keeps: true) { content in
          let page: [UInt8] = [1] + Array(repeating: 0, count: 511)
          page.withUnsafeBytes { content.sum?.add(2, $0, 512, content.key) }
        }
      }
      #expect(throws: refusal) {
        try prove(url, fixture, keeps: true) { $0.sum = PageSum() }
      }
    }
  }

  @Test func tellsPagesInEachOthersPlace() throws {
    let key = try StreamDigest.randomKey()
    let (a, b) = ([UInt8](repeating: 1, count: 512), [UInt8](repeating: 2, count: 512))
    var sums = [PageSum(), PageSum()]
    a.withUnsafeBytes { sums[0].add(7, $0, 512, key) }
    b.withUnsafeBytes { sums[0].add(8, $0, 512, key) }
    b.withUnsafeBytes { sums[1].add(7, $0, 512, key) }
    a.withUnsafeBytes { sums[1].add(8, $0, 512, key) }
    #expect(sums[0] != sums[1])
  }

  /// A bad line of a bus changes the same bit again and again: what changes in several places, within a
  /// page or among pages, shows itself as one change does.
  @Test(arguments: [512, 1024, 4096, 65536])
  func tellsSeveralChanges(size: Int) throws {
    let summer = PageSummer(key: try StreamDigest.randomKey())
    var random = SeededGenerator(state: UInt64(size))
    let pages = (0..<2).map { _ in random.bytes(size) }
    func sum(_ pages: [[UInt8]]) -> PageSum {
      var sum = PageSum()
      for (index, page) in pages.enumerated() {
        page.withUnsafeBytes {
          if let start = $0.baseAddress { sum.add(summer.sum(UInt32(index + 1), start, size)) }
        }
      }
      return sum
    }
    let right = sum(pages)
    #expect(sum(pages) == right)
    for distance in [8, 16, 32, 64, 256, 1024, 4096, 32768] where distance < size {
      for bit: UInt8 in [1, 0x40, 0x80] {
        for byte in [0, 7, 8, 15] {
          var (changed, apart) = (pages, pages)
          changed[0][byte] ^= bit
          changed[0][byte + distance] ^= bit
          #expect(sum(changed) != right, "\(distance) \(bit) \(byte)")
          apart[0][byte] ^= bit
          apart[1][byte] ^= bit
          #expect(sum(apart) != right)
        }
      }
    }
  }

  private func provePlain(
    _ url: URL, _ header: DatabaseHeader, _ content: WrittenContent
  ) throws -> Proof {
    let file = try File(url.path, .read)
    return try Prover(
      file: file, path: "output", pageSize: header.pageSize,
      pageCount: UInt32(file.size() / UInt64(header.pageSize)), source: header, cipher: nil,
      workers: 0, context: OperationContext(), oldKey: nil
    ).prove(content).0
  }

  @Test(arguments: ["format4", "format3", "page8192-sha1-sha512"])
  func findsAChangedByteOfAPlaintextOutput(_ name: String) throws {
    try withFolder { folder in
      let url = folder.appendingPathComponent("output.db")
      let fixture = try Fixture.named(name)
      let bytes = try #require(try fixture.codec().openAll(fixture.bytes()))
      try Data(bytes).write(to: url)
      let size = try fixture.codec().pageSize
      let store = PageStore(
        pages: OutputPages(try File(url.path, .read), path: "original"), pageSize: size,
        pageCount: UInt32(bytes.count / size), codec: nil)
      let reader = try ReadAhead(store, workers: 0, cancellation: Cancellation())
      let header = try DatabaseHeader.read(from: reader, path: "original").header
      let key = try StreamDigest.randomKey()
      var content = WrittenContent(
        key: key, summary: try ContentWalk.summary(of: reader, path: "original", key: key))
      var sum = PageSum()
      bytes.withUnsafeBytes { all in
        for page in 0..<(bytes.count / size) {
          let bytes = UnsafeRawBufferPointer(rebasing: all[(page * size)...])
          sum.add(UInt32(page + 1), bytes, size, key)
        }
      }
      content.sum = sum
      #expect(try provePlain(url, header, content).records > 0)
      var generator = SeededGenerator(state: 5)
      // Free list, free blocks and the like of page 1, the reserve, and anything else.
      let places =
        Array(20..<110) + [size - 1, size - 40]
        + (0..<200).map { _ in Int.random(in: 0..<bytes.count, using: &generator) }
      for place in places {
        var changed = bytes
        changed[place] ^= 4
        try Data(changed).write(to: url)
        #expect(throws: SealError.self, "byte \(place)") { try provePlain(url, header, content) }
      }
    }
  }
}

extension PageSum {
  fileprivate mutating func add(
    _ number: UInt32, _ bytes: UnsafeRawBufferPointer, _ count: Int, _ key: Secret
  ) {
    if let start = bytes.baseAddress { add(PageSummer(key: key).sum(number, start, count)) }
  }
}
