// What inspect found, as a JSON object. Every field is in Docs/json.md.

internal import SealCore

extension InspectRendering {
  /// The object for `--json`.
  func json(command: String) -> JSON {
    let facts = outside + (content.map(inside) ?? [])
    return Diagnosis(.ok, sentence, facts: facts).json(command: command, database: file.path)
  }

  /// What can be said without a key.
  var outside: [JSON.Field] {
    let header = content?.header ?? file.header
    return [
      .init("kind", .string(file.kind.rawValue)),
      .init("may_be_encrypted", .bool(mayBeEncrypted)),
      .init("reasons", reasons),
      .init("other_format", .optional(file.otherFormat?.rawValue)),
      .init("target", .optional(file.target)),
      .init("size", .unsigned(file.size)),
      .init(
        "page_size", (content.flatMap(\.pageSize) ?? file.pageSize).map { .integer($0) } ?? .null),
      .init("page_sizes", .array(content == nil ? file.pageSizes.map { .integer($0) } : [])),
      .init("salt", (content.map(\.salt) ?? file.salt).map { .hex($0) } ?? .null),
      .init("first_bytes", .hex(file.firstBytes)),
      .init("user_version", (header?.rest?.userVersion).map { .integer(Int64($0)) } ?? .null),
      .init("application_id", (header?.rest?.applicationID).map { .integer(Int64($0)) } ?? .null),
      .init("header", header.map(Facts.header) ?? .null), .init("sidecars", sidecars),
      .init("holders", Facts.processes(file.holders)),
      .init("notes", Facts.notes(content?.notes ?? file.notes)),
      .init(
        "belongs_to",
        file.owner.map {
          .object([.init("path", .string($0.path)), .init("exists", .bool($0.exists))])
        } ?? .null),
    ]
  }

  private var mayBeEncrypted: Bool {
    [.sqlcipher, .sqlcipherPlaintextHeader].contains(file.kind) || file.mayBeEncrypted
  }

  private var reasons: JSON {
    .array(
      file.reasons.map {
        .object([
          .init("reason", .string(FileWords.word($0))),
          .init("message", .string(FileWords.sentence($0))),
        ])
      })
  }

  private var sidecars: JSON {
    .array(
      file.sidecars.map { sidecar in
        var fields: [JSON.Field] = [
          .init("path", .string(sidecar.path)), .init("suffix", .string(sidecar.suffix)),
          .init("state", .string(FileWords.word(sidecar.state))),
          .init("size", .unsigned(sidecar.size)),
          .init("page_size", sidecar.pageSize.map { .integer($0) } ?? .null),
        ]
        switch sidecar.state {
        case .log(let frames, let committed, let beyond, let lostCommits, let firstBad):
          fields += [
            .init("frames", .unsigned(frames)), .init("committed", .unsigned(committed)),
            .init("beyond", .unsigned(beyond)), .init("lost_commits", .integer(lostCommits)),
            .init("first_bad", firstBad.map { .integer($0) } ?? .null),
          ]
        case .longLog(let frames): fields.append(.init("frames", .unsigned(frames)))
        default: break
        }
        return .object(fields)
      })
  }

  /// What opening it told, without what is in it.
  var opened: [JSON.Field] { outside + (content.map(opened) ?? []) }

  private func opened(_ content: ContentFacts) -> [JSON.Field] {
    [
      .init("format", content.profile?.formatNumber.map { .integer($0) } ?? .null),
      .init("settings", content.profile.map(Facts.settings) ?? .null),
      .init("pragmas", Facts.pragmas(content.openingPragmas)),
      .init("pages", .integer(Int64(content.pages))),
      .init("damage", Facts.damage(content.damage)),
      .init("damage_total", .integer(content.damageTotal)),
    ]
  }

  private func inside(_ content: ContentFacts) -> [JSON.Field] {
    switch depth {
    case .schema: opened(content) + [.init("schema", schema(content))]
    case .map: opened(content) + [.init("map", map(content))]
    case .contents: opened(content) + objects(content)
    }
  }

  private func schema(_ content: ContentFacts) -> JSON {
    .array(
      content.objects.map {
        .object([
          .init("type", .string($0.kind.rawValue)), .init("name", .string($0.name)),
          .init("table", .string($0.table)), .init("sql", .optional($0.sql)),
        ])
      })
  }

  private func map(_ content: ContentFacts) -> JSON {
    let map = PageMapText(content)
    return .object([
      .init(
        "counts",
        .object(map.counts.map { .init(PageMapText.symbol($0.use).name, .integer($0.count)) })),
      .init(
        "runs",
        .array(
          map.runs.map {
            .object([
              .init("first", .integer(Int64($0.first))), .init("last", .integer(Int64($0.last))),
              .init("use", .string(PageMapText.symbol($0.use).name)),
            ])
          })),
    ])
  }

  private func objects(_ content: ContentFacts) -> [JSON.Field] {
    func all(_ kind: SchemaObject.Kind, _ more: (SchemaObject) -> [JSON.Field]) -> JSON {
      .array(
        content.objects.filter { $0.kind == kind }.map {
          .object([.init("name", .string($0.name))] + more($0))
        })
    }
    func usage(_ object: SchemaObject) -> [JSON.Field] {
      let usage = object.usage
      return [
        .init("rows", usage.map { .unsigned($0.rows) } ?? .null),
        .init("pages", usage.map { .integer(Int64($0.pages)) } ?? .null),
        .init("bytes", usage.map { .unsigned($0.bytes) } ?? .null),
        .init("partial", .bool(usage?.isPartial ?? true)),
      ]
    }
    return [
      .init("tables", all(.table, usage)),
      .init("indexes", all(.index) { [.init("table", .string($0.table))] + usage($0) }),
      .init("views", all(.view) { [.init("problem", .optional($0.problem))] }),
      .init("triggers", all(.trigger) { [.init("table", .string($0.table))] }),
      .init(
        "virtual_tables",
        all(.virtualTable) {
          [.init("module", .optional($0.module)), .init("problem", .optional($0.problem))]
        }),
      .init("lacks", lacks(content)), .init("schema_message", .optional(content.schemaMessage)),
    ]
  }

  private func lacks(_ content: ContentFacts) -> JSON {
    guard let lacks = content.lacks else { return .null }
    func names(_ kind: MissingPart.Kind) -> JSON {
      .array(lacks.filter { $0.kind == kind }.map { .string($0.name) })
    }
    return .object([
      .init("collations", names(.collation)), .init("functions", names(.function)),
      .init("modules", names(.module)), .init("tokenizers", names(.tokenizer)),
    ])
  }
}
