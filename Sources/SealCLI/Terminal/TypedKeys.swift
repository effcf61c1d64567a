// Keys that are typed: what nobody could type again, or see while typing, is refused.

internal import SealCore

extension KeySources {
  /// The key that is typed after `label`, twice where it is `new`. One that will be refused
  /// is not asked for twice.
  func typed(
    _ label: String, _ reading: KeyMaterial.Reading, new: Bool
  ) throws -> Secret {
    let first = try surroundings.prompt("\(label): ", cancellation)
    // A tab may be a part of what was pasted.
    let hasControls = first.withBytes { bytes in
      bytes.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7f }
    }
    if hasControls { throw KeyFailure(source: .terminal, flaw: .controlCharacters) }
    guard new, first.count > 0, (try? KeyMaterial(first, as: reading)) != nil else { return first }
    let second = try surroundings.prompt("The same key again: ", cancellation)
    guard first.isEqual(to: second) else {
      throw KeyFailure(source: .terminal, flaw: .mismatch)
    }
    return first
  }
}
