// The page codec and detection, with settings and keys out of the input and few rounds. Pages that
// were sealed open again and are found by detection; any other page, or a changed byte, does not.
// Input: settings (8 bytes), key, options, then the content of up to three pages, or the bytes of an
// encrypted file as they are.
@testable import SealCore

enum CodecTarget {
  static func run(_ bytes: [UInt8]) throws {
    var input = FuzzInput(bytes)
    let settings = self.settings(&input)
    let profile: CipherProfile
    do {
      profile = try settings.profile()
    } catch SealError.badProfile {
      do {
        _ = try settings.candidates().first?.validate()
      } catch SealError.badProfile {}
      return
    }
    try demand(profile.pageSize - profile.reserve >= 480, "a page without room")
    try demand(!profile.name.isEmpty, "settings without a name")
    let options = input.byte()
    let material: KeyMaterial
    do {
      material = try key(&input, options)
    } catch SealError.badKey { return }
    let salt = input.take(16)
    if options & 0x40 == 0 {
      try seal(input.all(), profile, material, salt, options)
    } else {
      try detect(input.all(), [profile], material, given: options & 0x20 == 0 ? nil : salt)
    }
  }

  private static func settings(_ input: inout FuzzInput) -> CipherSettings {
    let hashes: [HashAlgorithm] = [.sha1, .sha256, .sha512]
    var settings = CipherSettings()
    let named = input.byte()
    let format = input.byte()
    if named & 1 != 0 { settings.format = Int(format % 6) }
    settings.pageSize = 512 << Int(input.byte() % 3)
    let hash = input.byte()
    if named & 2 != 0 { settings.kdfAlgorithm = hashes[Int(hash % 3)] }
    if named & 4 != 0 {
      settings.tag = hash >= 192 ? CipherSettings.Tag.none : .hmac(hashes[Int(hash / 64)])
    }
    settings.kdfIterations = Int(input.byte() % 8)
    settings.fastKDFIterations = Int(input.byte() % 4)
    settings.saltMask = input.byte()
    let header = input.byte()
    if named & 8 != 0 { settings.plaintextHeader = Int(header) * (named & 16 == 0 ? 16 : 1) }
    if named & 32 != 0 { settings.pageNumberOrder = .bigEndian }
    return settings
  }

  private static func key(_ input: inout FuzzInput, _ options: UInt8) throws -> KeyMaterial {
    let count = [0, 32, 48, 80][Int(options & 3)]
    let bytes = input.take(count == 0 ? 8 : count)
    let secret = bytes.withUnsafeBytes { Secret(copying: $0) }
    return count == 0
      ? try KeyMaterial(secret, as: .passphrase)
      : try KeyMaterial(KeyBytes.hex(of: secret), as: .raw)
  }

  private static func seal(
    _ content: [UInt8], _ profile: CipherProfile, _ material: KeyMaterial, _ given: [UInt8],
    _ options: UInt8
  ) throws {
    let salt = material.salt ?? given
    let keys = try KeyDerivation.derive(material, profile: profile, salt: salt)
    let codec = try PageCodec(profile: profile, keys: keys, salt: salt)
    let size = profile.pageSize
    let count = max(1, min(6, content.count / size))
    var plain = Array(content.prefix(count * size))
    plain += [UInt8](repeating: 7, count: count * size - plain.count)
    if profile.plaintextHeader == 0 { plain.replaceSubrange(0..<16, with: PageCodec.magic) }
    for page in 0..<count {
      let end = (page + 1) * size
      for place in (end - profile.reserve)..<end { plain[place] = 0 }
    }
    var sealed = plain
    try sealed.withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      try codec.seal(first: 1, count: count, in: base)
    }
    var opened = sealed
    try each(&opened, codec, count) { codec.open(page: $0, in: $1) == .opened ? nil : "it is shut" }
    try demand(opened == plain, "what was opened is not what was sealed")
    opened = sealed
    try opened.withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      try codec.open(first: 1, count: count, in: base) { page, verdict in
        throw Broken(description: "page \(page) of a run is \(verdict)")
      }
    }
    try demand(opened == plain, "a run opens another way than page by page")
    guard profile.hmacAlgorithm != nil else { return }
    try spoil(sealed, codec, count, at: Int(options >> 2) * 37 + Int(given[15]))
    if profile.plaintextHeader > 0, material.salt == nil { return }
    try find(sealed, profile, material)
  }

  private static func each(
    _ bytes: inout [UInt8], _ codec: PageCodec, _ count: Int,
    _ body: (UInt32, UnsafeMutableRawPointer) -> String?
  ) throws {
    try bytes.withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      for page in 0..<count {
        let flaw = body(UInt32(page) + 1, base + page * codec.pageSize)
        if let flaw { throw Broken(description: "page \(page + 1): \(flaw)") }
      }
    }
  }

  /// A page with another number, or with another byte where the tag looks, is forged.
  private static func spoil(
    _ sealed: [UInt8], _ codec: PageCodec, _ count: Int, at place: Int
  ) throws {
    var bytes = sealed
    let tagged = codec.usableSize + PageCodec.ivLength + codec.tagLength
    try each(&bytes, codec, count) { page, start in
      let first = codec.start(of: page)
      if codec.authenticate(page: page + 7, start) != .forged, page != 1 { return "its number" }
      let spoiled = start + (first + place % (tagged - first))
      spoiled.storeBytes(of: spoiled.load(as: UInt8.self) ^ 0x10, as: UInt8.self)
      return codec.authenticate(page: page, start) == .forged ? nil : "a changed byte passes"
    }
  }

  private static func find(
    _ sealed: [UInt8], _ profile: CipherProfile, _ material: KeyMaterial
  ) throws {
    let outcome = try detection(sealed, [profile], material, given: nil)
    guard case .fits(let found) = outcome else {
      throw Broken(description: "\(profile.name) is not found: \(outcome)")
    }
    try demand(found.profile == profile, "another profile was found")
  }

  private static func detection(
    _ file: [UInt8], _ candidates: [CipherProfile], _ material: KeyMaterial, given: [UInt8]?
  ) throws -> DetectionOutcome {
    try Detection.detect(
      candidates: candidates, material: material, salt: given, size: UInt64(file.count)
    ) { offset, buffer in
      guard Int(offset) + buffer.count <= file.count else { return false }
      buffer.copyBytes(from: file[Int(offset)..<(Int(offset) + buffer.count)])
      return true
    }
  }

  /// Any bytes as an encrypted file.
  private static func detect(
    _ file: [UInt8], _ candidates: [CipherProfile], _ material: KeyMaterial, given: [UInt8]?
  ) throws {
    do {
      let outcome = try detection(file, candidates, material, given: given)
      if case .fits(let cipher) = outcome {
        try demand(cipher.profile.hmacAlgorithm == nil, "bytes of nobody have a right tag")
      }
    } catch SealError.badProfile {}
    let pageSize = candidates.first?.pageSize ?? 512
    guard file.count >= pageSize, let profile = candidates.first else { return }
    file.withUnsafeBytes { bytes in
      let page = UnsafeRawBufferPointer(rebasing: bytes[..<pageSize])
      _ = PlainPage.isFirst(page, profile: profile)
      _ = PlainPage.isTree(page)
    }
  }
}
