// Finds the settings that a key fits, and where it fits none says what was tried.

struct KeySearch {
  let snapshot: Snapshot
  let key: KeyMaterial
  let settings: CipherSettings
  /// How far a wrong key is looked into.
  var depth = KeyHints.none
  var cancellation = Cancellation()
  let deriver: Deriver

  /// The error where the key is right and page 1 is not.
  static func firstPageDamage(of snapshot: Snapshot, _ cipher: DetectedCipher) -> SealError {
    let pages = UInt32(clamping: size(of: snapshot) / UInt64(cipher.profile.pageSize))
    return .damaged(Damage(path: snapshot.path, flaw: .pages([1], total: 1, pagesInFile: pages)))
  }

  /// Bytes of the database.
  private static func size(of snapshot: Snapshot) -> UInt64 {
    max(
      snapshot.fileSize,
      snapshot.overlay.map { UInt64($0.pageCount) * UInt64($0.pageSize) } ?? 0)
  }

  /// The settings and keys of the database; page 1 may be damaged. Throws `.wrongKey`.
  func find() throws -> (cipher: DetectedCipher, isFirstPageDamaged: Bool) {
    let size = Self.size(of: snapshot)
    var candidates = try settings.candidates()
    if let overlay = snapshot.overlay {
      // Logs and journals record the page size in clear.
      let fitting = candidates.filter { $0.pageSize == overlay.pageSize }
      if !fitting.isEmpty { candidates = fitting }
    }
    let names = candidates.map(\.name)
    candidates = Self.likelyFirst(candidates, size: size)
    var trials = DetectionTrials(material: key, size: size, deriver: deriver)
    let outcome = try Detection.detect(
      candidates: candidates, &trials, salt: settings.salt, read: read)
    let nearMiss = NearMiss(
      candidates: candidates, settings: settings, depth: depth, cancellation: cancellation)
    let pageSize = candidates.map(\.pageSize).first { UInt64($0) <= size }
    var wrong = WrongKey(
      path: snapshot.path, tried: names, pagesTried: 1,
      pagesInFile: size / UInt64(pageSize ?? 4096), looksRaw: key.looksRaw, shape: key.shape)
    switch outcome {
    case .fits(let cipher): return (cipher, false)
    case .fitsDamagedFirstPage(let cipher):
      // A header of another size leaves all pages but the first as they are.
      wrong.fit = try nearMiss.fit(
        otherHeaderOf: [cipher.profile], &trials, read, isKeyProven: true)
      guard wrong.fit != nil else { return (cipher, true) }
    case .none(_, let pagesTried, let saltDiffers):
      (wrong.pagesTried, wrong.saltDiffers) = (pagesTried, saltDiffers)
      if depth == .derivations { wrong.shape = key.shapeHere }
      wrong.fit = try nearMiss.fit(&trials, read: read)
      if wrong.fit == nil { try requireWholePage(size, candidates) }
    }
    throw SealError.wrongKey(wrong)
  }

  /// A file that is not a whole number of pages of a format is hardly of that format: the others are
  /// tried before, because each trial costs a derivation. A format without tags keeps its turn: it
  /// can seem to fit.
  static func likelyFirst(_ candidates: [CipherProfile], size: UInt64) -> [CipherProfile] {
    func isLikely(_ profile: CipherProfile) -> Bool {
      profile.hmacAlgorithm != nil && size % UInt64(profile.pageSize) == 0
    }
    return candidates.filter(isLikely) + candidates.filter { !isLikely($0) }
  }

  /// Throws `.wrongKind(.truncated)` for a file that is shorter than a page of some of the
  /// candidates and formats, and not a whole number of pages of the others: whatever the key is, it
  /// was cut. A file that is too short for the settings that were named alone may be of another
  /// format, and sound.
  private func requireWholePage(_ size: UInt64, _ candidates: [CipherProfile]) throws {
    let formats = CipherProfile.formatNumbers.compactMap(CipherProfile.format)
    let sizes = (candidates + formats).map { UInt64($0.pageSize) }
    guard let largest = sizes.max(), size < largest,
      sizes.allSatisfy({ size < $0 || size % $0 != 0 })
    else { return }
    throw SealError.wrongKind(path: snapshot.path, found: .truncated)
  }

  /// Raw bytes of the snapshot at an offset: from the overlay where it has that page.
  private func read(_ offset: UInt64, _ buffer: UnsafeMutableRawBufferPointer) throws -> Bool {
    guard let overlay = snapshot.overlay else {
      return try snapshot.file.read(at: offset, into: buffer) == buffer.count
    }
    let size = UInt64(overlay.pageSize)
    let page = PageBuffer(bytes: overlay.pageSize)
    var done = 0
    while done < buffer.count {
      let position = offset + UInt64(done)
      guard let number = UInt32(exactly: position / size + 1), number <= overlay.pageCount else {
        return false
      }
      try snapshot.read(first: number, count: 1, pageSize: overlay.pageSize, into: page.start)
      let within = Int(position % size)
      let count = min(buffer.count - done, overlay.pageSize - within)
      UnsafeMutableRawBufferPointer(rebasing: buffer[done...]).copyMemory(
        from: UnsafeRawBufferPointer(start: page.start + within, count: count))
      done += count
    }
    return true
  }
}
