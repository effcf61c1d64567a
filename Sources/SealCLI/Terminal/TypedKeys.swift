// Keys that are typed: what nobody could type again, or see while typing, is refused.

internal import SealCore

extension KeySources {
  /// The key that is typed after `label`, twice where it is `new`. One that will be refused
  /// is not asked for twice.
  func typed(
    _ label: String, _ reading: KeyMaterial.Reading, new: Bool
  ) throws -> Secret {
    let first = try asked("\(label): ")
    guard new, first.count > 0, (try? KeyMaterial(first, as: reading)) != nil else { return first }
    let second = try surroundings.prompt("The same key again: ", cancellation)
    guard first.isEqual(to: second) else {
      throw KeyFailure(source: .terminal, flaw: .mismatch)
    }
    return first
  }

  /// Keys that are typed one after the other, until nothing is; as lines.
  func typedList() throws -> Secret {
    var lines = Secret(count: 0) { _ in }
    for number in 1... {
      let typed = try asked("Key \(number)" + (number > 1 ? ", or nothing" : "") + ": ")
      if typed.count == 0 { break }
      lines = Secret(count: lines.count + typed.count + 1) { [lines] out in
        lines.withBytes { out.copyMemory(from: $0) }
        typed.withBytes {
          UnsafeMutableRawBufferPointer(rebasing: out[lines.count...]).copyMemory(from: $0)
        }
        out[out.count - 1] = 0x0a
      }
      if lines.count > KeyFileReader.limit {
        throw KeyFileReader.Failure(flaw: .tooLong(limit: KeyMaterial.limit))
      }
    }
    return lines
  }

  /// What is typed at `prompt`, without what nobody meant to type.
  private func asked(_ prompt: String) throws -> Secret {
    let typed = try surroundings.prompt(prompt, cancellation)
    // A tab may be a part of what was pasted.
    let hasControls = typed.withBytes { bytes in
      bytes.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7f }
    }
    if hasControls { throw KeyFailure(source: .terminal, flaw: .controlCharacters) }
    return typed
  }
}
