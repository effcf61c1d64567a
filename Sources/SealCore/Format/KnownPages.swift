// Pages that are read from the file again and again: each time the tag would be computed anew, which
// costs seven times as much as to decrypt the page. What authenticated once is remembered by a keyed
// digest of its bytes; bytes of the same digest are the same bytes, and their tag is right. Bytes
// that are not, because somebody changed them meanwhile, are authenticated like any.

internal import CLibCrypto

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Digests of pages that authenticated, under a random key of their own. For one thread at a time.
final class KnownPages {
  private static let digestLength = 16
  /// Digests that are kept at most, in 8 MiB. Of pages that share a place the last one is known.
  private static let limit: UInt32 = 1 << 19

  private let codec: PageCodec
  private let key: Secret
  private let context: OpaquePointer
  private let count: UInt32
  /// As many digests, zeros at first; memory is used for those that are there.
  private let digests: UnsafeMutableRawPointer
  private let scratch: UnsafeMutableRawPointer

  /// For a database of `pageCount` pages. Throws `SealError.engine` where there is no Poly1305, or
  /// no memory.
  init(_ codec: PageCodec, pageCount: UInt32) throws {
    self.codec = codec
    count = max(1, min(pageCount, Self.limit))
    guard let digests = calloc(Int(count), Self.digestLength) else {
      throw SealError.engine(path: "", code: 0, message: "out of memory")
    }
    do {
      key = try StreamDigest.randomKey()
      context = try StreamDigest.context(key: key)
    } catch {
      free(digests)
      throw error
    }
    self.digests = digests
    scratch = .allocate(byteCount: Self.digestLength, alignment: 16)
  }

  deinit {
    EVP_MAC_CTX_free(context)
    free(digests)
    scratch.deallocate()
  }

  /// Opens page `number` in place, as the codec does.
  func open(page number: UInt32, in buffer: UnsafeMutableRawPointer) -> PageVerdict {
    let place = digests + Int(number % count) * Self.digestLength
    guard digest(number, buffer) else { return codec.open(page: number, in: buffer) }
    if LibCrypto.isEqual(scratch, place, count: Self.digestLength) {
      return codec.decrypt(page: number, in: buffer) ? .opened : .forged
    }
    let verdict = codec.open(page: number, in: buffer)
    if verdict == .opened {
      place.copyMemory(from: scratch, byteCount: Self.digestLength)
    }
    return verdict
  }

  /// Puts the digest of a page and its number into `scratch`; false where libcrypto refuses.
  private func digest(_ number: UInt32, _ page: UnsafeRawPointer) -> Bool {
    let started = key.withBytes {
      EVP_MAC_init(context, $0.bindMemory(to: UInt8.self).baseAddress, $0.count, nil)
    }
    let numbered = withUnsafeBytes(of: number) {
      EVP_MAC_update(context, $0.bindMemory(to: UInt8.self).baseAddress, $0.count)
    }
    var length = 0
    return started == 1 && numbered == 1
      && EVP_MAC_update(context, page.assumingMemoryBound(to: UInt8.self), codec.pageSize) == 1
      && EVP_MAC_final(
        context, scratch.assumingMemoryBound(to: UInt8.self), &length, Self.digestLength) == 1
      && length == Self.digestLength
  }
}
