// The keys that a journal was written with: for each of them what tells it from another one, and never
// the key. See KeyProof for what that is.

internal import SealCore

/// Which key of a command it is.
enum KeyRole: String, Sendable, CaseIterable {
  case key
  case newKey = "new_key"
  case otherKey = "against_key"

  /// Those without which `command` finishes nothing; `verify` does, where databases need none.
  static func always(in command: CommandSpec) -> [KeyRole] {
    switch command.name {
    case Catalog.verify.name: []
    case Catalog.rekey.name: [.key, .newKey]
    default: [.key]
    }
  }

  /// In a sentence.
  var words: String {
    switch self {
    case .key: "key"
    case .newKey: "new key"
    case .otherKey: "key of the other database"
    }
  }
}

/// The keys of a journal's run, as far as it needed them.
struct RunKeys: Sendable {
  /// Of one key, or of a list.
  struct Known: Sendable {
    let isList: Bool
    let proof: KeyProof
  }

  private(set) var known: [KeyRole: Known] = [:]

  init() {}

  /// A key is not the one that it was, and which.
  struct Other: Error {
    let role: KeyRole
  }

  /// What came of a look at the keys of this run.
  enum Change {
    /// They are those that are known.
    case none
    /// Some were not known.
    case more
    /// There is another list: what was done with the other one says nothing. Or another key, with
    /// which nothing was done.
    case others
  }

  /// Looks whether `key` is the one that is known, and knows it from now on. `isBound`: something was
  /// finished with that one. Throws `Other`.
  mutating func admit(
    _ role: KeyRole, _ key: KeyChoice, isBound: Bool, rounds: Int, until cancellation: Cancellation
  ) throws -> Change {
    let (count, each, isList): (Int, KeyProof.Key, Bool) =
      switch key {
      case .one(let key, _): (1, { _ in key }, false)
      case .list(let keys): (keys.count, { try keys[$0].key() }, true)
      }
    var change = Change.more
    if let before = known[role] {
      if before.isList == isList,
        try before.proof.fits(count, each, rounds: rounds, until: cancellation)
      {
        return .none
      }
      guard before.isList || isList || !isBound else { throw Other(role: role) }
      change = .others
    }
    known[role] = Known(
      isList: isList,
      proof: try KeyProof(of: count, each, rounds: rounds, until: cancellation))
    return change
  }

  /// The most rounds that a passphrase of this command line costs, as far as it says so.
  static func rounds(_ parsed: ParsedCommand) -> Int {
    [CipherOptions.written, .source, .against].compactMap { parsed.integer($0.kdfIterations) }.max()
      ?? 0
  }

  private static let member = "keys"

  /// The line.
  var json: JSON {
    let roles = KeyRole.allCases.compactMap { role in
      known[role].map { known in
        JSON.Field(
          role.rawValue,
          .object([
            .init("list", .bool(known.isList)), .init("salt", .string(Hex.text(known.proof.salt))),
            .init("proof", .string(Hex.text(known.proof.bytes))),
          ]))
      }
    }
    return .object([.init(Self.member, .object(roles))])
  }

  /// nil where the line is none of keys.
  init?(_ line: [UInt8]) {
    guard let node = try? JSONReader.read(line), let keys = node.member(Self.member),
      case .object(let members) = keys.value
    else { return nil }
    for member in members {
      guard let role = KeyRole(rawValue: member.name),
        let isList = member.value.member("list")?.isTrue,
        let salt = member.value.member("salt")?.text.flatMap(OptionValues.bytes(hex:)),
        let value = member.value.member("proof")?.text.flatMap(OptionValues.bytes(hex:)),
        let proof = KeyProof(salt: salt, value: value)
      else { return nil }
      known[role] = Known(isList: isList, proof: proof)
    }
  }

  /// Whether what was done under these keys says nothing of what `later` would do.
  func isReplaced(by later: RunKeys) -> Bool {
    known.contains { role, before in
      later.known[role].map { $0.proof.bytes != before.proof.bytes } ?? true
    }
  }
}
