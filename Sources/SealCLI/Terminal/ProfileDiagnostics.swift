// Cipher settings that cannot work, in words.

internal import SealCore

/// Explains what is wrong with cipher settings.
enum ProfileDiagnostics {
  static func explain(_ flaw: ProfileFlaw) -> Diagnosis {
    switch flaw {
    case .pageSize(let size):
      return Diagnosis(
        .usage, "a page of \(size) bytes: only powers of two from 512 to 65536 work",
        hint: "leave --page-size out for that of the format")
    case .usableSize(let size, let reserve):
      return Diagnosis(
        .usage, "a page of \(size) bytes with \(reserve) reserved leaves less than SQLite's 480",
        hint: "choose a larger --page-size or a shorter --hmac-algorithm")
    case .kdfIterations(let rounds):
      return Diagnosis(.usage, "\(rounds) rounds of key derivation: they go from 1 to 2147483647")
    case .fastKDFIterations(let rounds):
      return Diagnosis(
        .usage, "\(rounds) rounds for the key of the tags: they go from 1 to 2147483647")
    case .plaintextHeader(let size):
      return Diagnosis(
        .usage, "a plaintext header of \(size) bytes: it is a multiple of 16 and fits in a page",
        hint: "iOS needs --plaintext-header 32")
    case .saltNeeded:
      return Diagnosis(
        .usage, "the file does not hold its own salt, and none was given",
        hint: "--salt with the 32 hex digits that were said when the file was made")
    case .saltLength(let count):
      return Diagnosis(.usage, "a salt has 16 bytes, not \(count)", hint: "write 32 hex digits")
    case .saltConflict:
      return Diagnosis(
        .usage, "the raw key carries another salt than --salt names", hint: "leave --salt out")
    case .saltWouldBeLost:
      return Diagnosis(
        .usage,
        "with a plaintext header the salt stands in no file, and the source would be gone before"
          + " anybody has read it in the report",
        hint: "--salt with 32 hex digits that you keep, for instance from openssl rand -hex 16")
    case .saltIsMagic:
      return Diagnosis(
        .usage, "the salt is the text that a plaintext database begins with",
        hint: "leave --salt out to get a random one")
    }
  }
}
