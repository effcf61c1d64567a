// A database opened for looking, not for converting: where it is damaged, what can be read of it is
// opened all the same, and the damage is part of what is found.

/// A database as far as it can be read.
struct ReadableDatabase {
  let snapshot: Snapshot
  /// nil where page 1 cannot be read.
  let header: DatabaseHeader?
  let pageCount: UInt32
  let pageSize: Int
  /// nil for a plaintext database.
  let cipher: DetectedCipher?
  var notes: [Note] = []
  /// What stood in the way of opening it as a sound one.
  var damage: [Damage] = []

  var store: PageStore {
    PageStore(pages: snapshot, pageSize: pageSize, pageCount: pageCount, codec: cipher?.codec)
  }

  /// Opens it; `key` is nil for a plaintext database. Throws what is no damage, for instance
  /// `.wrongKey`, and damage that leaves nothing to read.
  static func open(
    _ path: String, key: KeyMaterial?, settings: CipherSettings, _ context: OperationContext
  ) throws -> ReadableDatabase {
    do {
      let sound =
        try key.map {
          try OpenedDatabase.encrypted(
            path, key: $0, settings: settings, exclusive: false, context)
        } ?? OpenedDatabase.plaintext(path, exclusive: false, context)
      return ReadableDatabase(
        snapshot: sound.snapshot, header: sound.header, pageCount: sound.pageCount,
        pageSize: sound.header.pageSize, cipher: sound.cipher, notes: sound.notes)
    } catch SealError.damaged(let damage) {
      return try open(damaged: damage, key, settings, context)
    }
  }

  private static func open(
    damaged damage: Damage, _ key: KeyMaterial?, _ settings: CipherSettings,
    _ context: OperationContext
  ) throws -> ReadableDatabase {
    let snapshot = try Snapshot(
      reading: damage.path, timeout: context.busyTimeout, cancellation: context.cancellation)
    let cipher = try key.map {
      try KeySearch(snapshot: snapshot, key: $0, settings: settings).find().cipher
    }
    let header = try? header(of: snapshot, cipher, context)
    guard let pageSize = cipher?.profile.pageSize ?? header?.pageSize else {
      throw SealError.damaged(damage)
    }
    if header?.isWAL == true {
      try snapshot.protectLog(timeout: context.busyTimeout, cancellation: context.cancellation)
    }
    // No more pages than there are bytes for, whatever a log claims.
    let beside = try snapshot.overlay?.file.size() ?? 0
    let most = (snapshot.fileSize + beside) / UInt64(pageSize) + 1
    let count = min(snapshot.physicalPages(pageSize: pageSize), most)
    return ReadableDatabase(
      snapshot: snapshot, header: header, pageCount: UInt32(clamping: count), pageSize: pageSize,
      cipher: cipher, damage: [damage])
  }

  private static func header(
    of snapshot: Snapshot, _ cipher: DetectedCipher?, _ context: OperationContext
  ) throws -> DatabaseHeader {
    guard let cipher else {
      let start = try snapshot.start(count: DatabaseHeader.length)
      return try start.withUnsafeBytes { try DatabaseHeader($0, path: snapshot.path) }
    }
    let store = PageStore(
      pages: snapshot, pageSize: cipher.profile.pageSize, pageCount: 1, codec: cipher.codec)
    let reader = try ReadAhead(store, workers: 0, cancellation: context.cancellation)
    return try DatabaseHeader.read(from: reader, path: snapshot.path).header
  }
}
