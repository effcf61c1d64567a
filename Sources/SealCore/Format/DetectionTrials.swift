// The two costly halves of detection: deriving keys (once for what several candidates share) and
// trying pages.

/// Derivations made so far, and the trial of one candidate's pages.
struct DetectionTrials {
  /// What an encryption key depends on, beside the key material.
  private struct Settings: Hashable {
    let algorithm: HashAlgorithm
    let iterations: Int
    let salt: [UInt8]
  }

  let material: KeyMaterial
  /// Length of the database in bytes.
  let size: UInt64
  private var derived: [Settings: Secret] = [:]

  let deriver: Deriver

  init(
    material: KeyMaterial, size: UInt64, deriver: @escaping Deriver = { try Derivation.run($0) }
  ) {
    self.material = material
    self.size = size
    self.deriver = deriver
  }

  /// The page keys for `profile`; formats 1 and 2 share the costly part.
  mutating func keys(for profile: CipherProfile, salt: [UInt8]) throws -> PageKeys {
    let settings = Settings(
      algorithm: profile.kdfAlgorithm, iterations: profile.kdfIterations, salt: salt)
    let key: Secret
    if let known = derived[settings] {
      key = known
    } else {
      key = try KeyDerivation.encryptionKey(
        material, algorithm: settings.algorithm, iterations: settings.iterations, salt: salt,
        by: deriver)
      derived[settings] = key
    }
    return try KeyDerivation.pageKeys(key, of: material, profile: profile, salt: salt)
  }

  /// Tries page 1, then a sample of the others until one fits. Pages that cannot be read are
  /// passed over, blank ones count as tried and say nothing.
  func pages(
    of codec: PageCodec, limit: Int = Detection.sampleLimit, read: Detection.RawRead
  ) throws -> (fittingPage: UInt32?, pagesTried: Int) {
    let page = UnsafeMutableRawBufferPointer.allocate(byteCount: codec.pageSize, alignment: 16)
    defer {
      Secret.wipe(page)
      page.deallocate()
    }
    // Where the plaintext header covers what page 1 is judged by, another page has to speak for the
    // key; only a database without another page is taken at its word.
    let isWitness = codec.profile.hmacAlgorithm != nil || codec.profile.plaintextHeader < 96
    var firstFits = false
    var tried = 0
    for number in Self.sample(size: size, pageSize: codec.pageSize).prefix(limit) {
      let offset = UInt64(number - 1) * UInt64(codec.pageSize)
      guard try read(offset, page) else { continue }
      tried += 1
      guard Self.fits(page, number: number, codec) else { continue }
      if number == 1, !isWitness {
        firstFits = true
      } else {
        return (firstFits ? 1 : number, tried)
      }
    }
    return (firstFits && tried == 1 ? 1 : nil, tried)
  }

  /// Page 1 and at most 63 others, spread evenly over the database, without the lock-byte page.
  static func sample(size: UInt64, pageSize: Int) -> [UInt32] {
    let pages = UInt64(UInt32(clamping: size / UInt64(pageSize)))
    guard pages > 1 else { return pages == 1 ? [1] : [] }
    let lockByte = UInt64(0x4000_0000 / pageSize + 1)
    let others = pages - 1
    let count = min(others, UInt64(Detection.sampleLimit - 1))
    let spread = (0..<count).map { index in
      2 + (count > 1 ? index * (others - 1) / (count - 1) : 0)
    }
    return ([1] + spread.filter { $0 != lockByte }).map { UInt32(truncatingIfNeeded: $0) }
  }

  private static func fits(
    _ page: UnsafeMutableRawBufferPointer, number: UInt32, _ codec: PageCodec
  ) -> Bool {
    guard let base = page.baseAddress else { return false }
    guard codec.profile.hmacAlgorithm == nil else {
      return codec.authenticate(page: number, base) == .opened
    }
    guard codec.open(page: number, in: base) == .opened else { return false }
    let plain = UnsafeRawBufferPointer(page)
    return number == 1 ? PlainPage.isFirst(plain, profile: codec.profile) : PlainPage.isTree(plain)
  }
}
