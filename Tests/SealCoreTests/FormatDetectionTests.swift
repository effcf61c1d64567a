// Plan: detection over the peers' databases, whole and damaged.
// - each of the four formats is found without a word about settings, each fixture with its settings;
// - a damaged page 1 is told from a wrong key, with and without tags; all pages damaged: nothing fits;
// - the salt in use is the one that SQLCipher 4.12 and 4.19 use (seen by trying them): a raw key's
//   own before a given one before the file's; what differs is said;
// - files that are empty, short, random or full of zeros end in `.none`, without a trap;
// - the sample has page 1 and the last page, at most 64, never the lock-byte page;
// - formats whose pages the file is a whole number of go first, the one without tags in its turn;
// - random bytes do not look like SQLite pages.

import Testing

@testable import SealCore

@Suite struct FormatDetectionTests {
  static let formats = ["format1", "format2", "format3", "format4"].flatMap { name in
    Fixture.all.filter { $0.file.hasPrefix(name) }
  }

  @Test(arguments: zip([UInt64(40_960), 41_984, 41_000], ["4321", "3241", "4321"]))
  func triesLikelyFormatsFirst(size: UInt64, order: String) throws {
    let candidates = try CipherSettings().candidates()
    let found = KeySearch.likelyFirst(candidates, size: size).compactMap(\.formatNumber)
    #expect(found.map(String.init).joined() == order)
  }

  func detect(
    _ file: [UInt8], _ material: KeyMaterial, _ settings: CipherSettings = CipherSettings()
  ) throws -> DetectionOutcome {
    try Detection.detect(
      candidates: settings.candidates(), material: material, salt: settings.salt,
      size: UInt64(file.count)
    ) { offset, target in
      guard let start = Int(exactly: offset), start <= file.count,
        target.count <= file.count - start
      else { return false }
      target.copyBytes(from: file[start..<start + target.count])
      return true
    }
  }

  @Test(arguments: formats)
  func findsTheFormat(_ fixture: Fixture) throws {
    guard case .fits(let found) = try detect(fixture.bytes(), fixture.material()) else {
      Issue.record("does not fit")
      return
    }
    #expect(found.profile.formatNumber == fixture.settings.format)
    #expect(found.salt == Array(try fixture.bytes().prefix(16)))
    #expect(!found.saltDiffers)
    let codec = try PageCodec(profile: found.profile, keys: found.keys, salt: found.salt)
    #expect(try codec.openAll(fixture.bytes()) != nil)
  }

  @Test(arguments: Fixture.all)
  func fitsTheSettingsOfTheManifest(_ fixture: Fixture) throws {
    let settings = fixture.cipherSettings
    guard case .fits(let found) = try detect(fixture.bytes(), fixture.material(), settings) else {
      Issue.record("does not fit")
      return
    }
    #expect(try found.profile == fixture.codec().profile)
    var wrong = settings
    wrong.salt = found.salt
    guard case .none(_, let tried, _) = try detect(fixture.bytes(), keyOf("wrong"), wrong) else {
      Issue.record("a wrong key fits")
      return
    }
    #expect(tried == min(64, try fixture.bytes().count / found.profile.pageSize))
  }

  @Test(arguments: formats)
  func tellsADamagedFirstPageFromAWrongKey(_ fixture: Fixture) throws {
    var file = try fixture.bytes()
    for offset in stride(from: 20, to: 400, by: 3) { file[offset] ^= 0x55 }
    let outcome = try detect(file, fixture.material())
    guard case .fitsDamagedFirstPage(let found) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(found.profile.formatNumber == fixture.settings.format)
    guard case .none(let tried, let pages, let differs) = try detect(file, keyOf("wrong")) else {
      Issue.record("a wrong key fits")
      return
    }
    #expect(tried == ["format 4", "format 3", "format 2", "format 1"])
    // Counted in pages of the newest format that the file is long enough for.
    #expect(pages == file.count / (file.count < 4096 ? 1024 : 4096) && !differs)
  }

  @Test(arguments: formats)
  func fitsNothingWhenEveryPageIsDamaged(_ fixture: Fixture) throws {
    let file = try fixture.bytes().enumerated().map { $0 < 16 ? $1 : $1 ^ UInt8($0 & 0xff | 1) }
    guard case .none = try detect(file, fixture.material()) else {
      Issue.record("fits")
      return
    }
  }

  @Test func usesTheSaltOfARawKeyAsSQLCipherDoes() throws {
    let key = String(repeating: "0f1e2d3c4b5a69788796a5b4c3d2e1f0", count: 2)
    let other = String(repeating: "ab", count: 16)
    let fixture = try Fixture.named("raw96")
    let settings = fixture.cipherSettings
    var file = try fixture.bytes()
    // Without its salt, the key opens the file by the salt in it.
    guard case .fits(let bare) = try detect(file, keyOf("x'\(key)'"), settings) else {
      Issue.record("64 digits do not fit")
      return
    }
    #expect(!bare.saltDiffers)
    let misfit = try detect(file, keyOf("x'\(key)\(other)'"), settings)
    guard case .none(_, _, saltDiffers: true) = misfit else {
      Issue.record("\(misfit)")
      return
    }
    // Salt overwritten in the file: the salt of the key, or the one given, still opens it.
    file.replaceSubrange(0..<16, with: [UInt8](repeating: 0x99, count: 16))
    guard case .fits(let found) = try detect(file, fixture.material(), settings) else {
      Issue.record("96 digits do not fit")
      return
    }
    #expect(found.saltDiffers)
    var given = settings
    given.salt = hex("000102030405060708090a0b0c0d0e0f")
    guard case .fits = try detect(file, keyOf("x'\(key)'"), given) else {
      Issue.record("given salt does not fit")
      return
    }
    given.salt = hex(other)
    #expect(throws: SealError.badProfile(.saltConflict)) {
      _ = try detect(file, fixture.material(), given)
    }
  }

  @Test func needsNoSaltForAKeyWithAnHMACKey() throws {
    let fixture = try Fixture.named("raw160")
    let text = fixture.key.dropLast(33) + String(repeating: "ab", count: 16) + "'"
    let material = try keyOf(String(text))
    guard case .fits(let found) = try detect(fixture.bytes(), material, fixture.cipherSettings)
    else {
      Issue.record("does not fit")
      return
    }
    #expect(found.saltDiffers)
  }

  @Test func asksForTheSaltThatAPlaintextHeaderHides() throws {
    let fixture = try Fixture.named("header32")
    var settings = fixture.cipherSettings
    settings.salt = nil
    #expect(throws: SealError.badProfile(.saltNeeded)) {
      _ = try detect(fixture.bytes(), fixture.material(), settings)
    }
  }

  @Test(arguments: [0, 1, 15, 16, 511, 1023, 1024, 4096, 40_000], [false, true])
  func survivesWhatIsNoDatabase(size: Int, random: Bool) throws {
    var generator = SeededGenerator(state: UInt64(size))
    let file = (0..<size).map { _ in random ? UInt8.random(in: 0...255, using: &generator) : 0 }
    guard case .none(let tried, let pages, false) = try detect(file, keyOf("k")) else {
      Issue.record("fits")
      return
    }
    #expect(tried.count == 4)
    #expect(pages == min(64, size / (size < 4096 ? 1024 : 4096)))
  }

  @Test func samplesEvenlyAndNeverTheLockBytePage() {
    for pages in [1, 2, 3, 63, 64, 65, 1000, 300_000, 4_294_967_295] as [UInt64] {
      for pageSize in [512, 4096, 65536] {
        let sample = DetectionTrials.sample(size: pages * UInt64(pageSize), pageSize: pageSize)
        #expect(sample.count <= 64 && sample.first == 1)
        #expect(sample == Set(sample).sorted())
        let lockByte = UInt32(0x4000_0000 / pageSize + 1)
        #expect(!sample.contains(lockByte))
        #expect(sample.last == UInt32(pages) || UInt64(lockByte) == pages)
        if pages <= 64 { #expect(sample.count == Int(pages)) }
      }
    }
    #expect(DetectionTrials.sample(size: 0, pageSize: 4096).isEmpty)
    #expect(DetectionTrials.sample(size: .max, pageSize: 512).count == 64)
    // 64 pages in which the lock-byte page would be the middle one.
    let lockByte = UInt64(0x4000_0000 / 65536 + 1)
    let sample = DetectionTrials.sample(size: (2 * lockByte - 2) * 65536, pageSize: 65536)
    #expect(!sample.contains(UInt32(lockByte)))
  }

  @Test(arguments: [512, 1024, 4096, 32768])
  func takesNoRandomBytesForAPage(_ pageSize: Int) throws {
    var generator = SeededGenerator(state: 1)
    var profile = try #require(CipherProfile.format(1))
    profile.pageSize = pageSize
    var page = [UInt8](repeating: 0, count: pageSize)
    var taken = 0
    for _ in 0..<(2_000_000 / pageSize) {
      page.withUnsafeMutableBytes { bytes in
        for offset in stride(from: 0, to: pageSize, by: 8) {
          bytes.storeBytes(of: generator.next(), toByteOffset: offset, as: UInt64.self)
        }
        // The hardest bytes: everything but the cell pointers as a page has it.
        let kind = [0x0d, 0x05, 0x0a, 0x02][Int(generator.next() % 4)] as UInt8
        let head: [UInt8] = [kind, 0, 0, 0, 40, 0, 100, 0]
        bytes.copyBytes(from: head)
        let plain = UnsafeRawBufferPointer(bytes)
        taken += PlainPage.isTree(plain) || PlainPage.isFirst(plain, profile: profile) ? 1 : 0
      }
    }
    #expect(taken == 0)
  }
}
