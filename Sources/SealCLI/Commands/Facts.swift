// Facts that more than one command reports, as JSON. One way to say each.

internal import SealCore

/// JSON of the core's values.
enum Facts {
  /// Cipher settings.
  static func settings(_ profile: CipherProfile) -> JSON {
    .object([
      .init("page_size", .integer(profile.pageSize)),
      .init("kdf_algorithm", .string(profile.kdfAlgorithm.rawValue)),
      .init("kdf_iter", .integer(profile.kdfIterations)),
      .init("hmac_algorithm", .string(profile.hmacAlgorithm?.rawValue ?? "none")),
      .init("hmac_pgno", .string(profile.pageNumberOrder.rawValue)),
      .init("hmac_salt_mask", .hex([profile.saltMask])),
      .init("fast_kdf_iter", .integer(profile.fastKDFIterations)),
      .init("plaintext_header", .integer(profile.plaintextHeader)),
    ])
  }

  /// A PRAGMA as SQL. A blob literal wants quotes around it, or it is a syntax error.
  static func statement(_ pragma: (name: String, value: String)) -> String {
    let value = pragma.value.hasPrefix("x'") ? "\"\(pragma.value)\"" : pragma.value
    return "PRAGMA \(pragma.name) = \(value);"
  }

  /// PRAGMAs, in order.
  static func pragmas(_ pragmas: [(name: String, value: String)]) -> JSON {
    .array(
      pragmas.map {
        .object([.init("name", .string($0.name)), .init("value", .string($0.value))])
      })
  }

  /// Things to know.
  static func notes(_ notes: [Note]) -> JSON {
    .array(
      notes.map {
        .object([
          .init("note", .string(ConversionRendering.word($0))),
          .init("message", .string(ConversionRendering.sentence($0))),
        ])
      })
  }

  /// Damage, each with its sentence.
  static func damage(_ damage: [Damage]) -> JSON {
    .array(
      damage.map { damage in
        let found = DamageDiagnostics.explain(damage)
        return .object([.init("message", .string(found.sentence))] + found.facts)
      })
  }

  /// Processes.
  static func processes(_ processes: [ProcessName]) -> JSON {
    .array(
      processes.map {
        .object([.init("pid", .integer(Int64($0.id))), .init("name", .string($0.name))])
      })
  }

  /// A database header.
  static func header(_ header: HeaderFacts) -> JSON {
    let rest = header.rest
    func number(_ number: some BinaryInteger) -> JSON { .integer(Int64(clamping: number)) }
    return .object([
      .init("page_size", .integer(header.pageSize)), .init("reserve", .integer(header.reserve)),
      .init("pages", header.pageCount.map(number) ?? .null),
      .init("free_pages", (rest?.freePages).map(number) ?? .null),
      .init("journal_mode", .string(header.isWAL ? "wal" : "rollback")),
      .init("auto_vacuum", .optional(rest?.autoVacuum.rawValue)),
      .init("encoding", .optional(rest?.encoding)),
      .init("user_version", (rest?.userVersion).map(number) ?? .null),
      .init("application_id", (rest?.applicationID).map(number) ?? .null),
      .init("schema_version", (rest?.schemaVersion).map(number) ?? .null),
      .init("schema_format", (rest?.schemaFormat).map(number) ?? .null),
      .init("change_counter", number(header.changeCounter)),
      .init("writer", .optional(rest.flatMap { version($0.writer) })),
    ])
  }

  /// `3.46.1`, of 3046001; nil of 0.
  static func version(_ number: UInt32) -> String? {
    guard number > 0 else { return nil }
    return "\(number / 1_000_000).\(number / 1000 % 1000).\(number % 1000)"
  }
}
