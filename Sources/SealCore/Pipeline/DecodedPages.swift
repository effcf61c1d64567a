// Decoded pages as a file that SQLite can read, through the read-only VFS: any engine reads any
// format so, and nothing can be written. Header bytes 18 and 19 are shown as 1, because the log, if
// there is one, is already laid over.

/// The plain image of a page store.
final class DecodedPages: SnapshotFile, @unchecked Sendable {
  let size: UInt64
  private let store: PageStore
  private let cache: Monitor<Cache>

  private struct Cache {
    let codec: PageCodec?
    let buffer: PageBuffer
    var page: UInt32 = 0
  }

  init(_ store: PageStore) throws {
    self.store = store
    size = store.bytes
    cache = Monitor(
      Cache(codec: try store.codec?(), buffer: PageBuffer(bytes: store.pageSize)))
  }

  func read(offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
    cache.withLock { cache in
      var done = 0
      while done < buffer.count {
        let position = offset &+ UInt64(done)
        let pageSize = UInt64(store.pageSize)
        guard let number = UInt32(exactly: position / pageSize + 1), load(number, &cache) else {
          return false
        }
        let within = Int(position % pageSize)
        let count = min(buffer.count - done, store.pageSize - within)
        UnsafeMutableRawBufferPointer(rebasing: buffer[done...]).copyMemory(
          from: UnsafeRawBufferPointer(start: cache.buffer.start + within, count: count))
        done += count
      }
      return true
    }
  }

  private func load(_ number: UInt32, _ cache: inout Cache) -> Bool {
    if cache.page == number { return true }
    cache.page = 0
    do {
      try store.pages.read(
        first: number, count: 1, pageSize: store.pageSize, into: cache.buffer.start)
    } catch { return false }
    if let codec = cache.codec, codec.open(page: number, in: cache.buffer.start) == .forged {
      return false
    }
    if number == 1 {
      cache.buffer.start.storeBytes(of: 1, toByteOffset: 18, as: UInt8.self)
      cache.buffer.start.storeBytes(of: 1, toByteOffset: 19, as: UInt8.self)
    }
    cache.page = number
    return true
  }
}
