// The list of files that are made from the catalog and checked in.

/// Names and contents of generated files.
enum GeneratedFiles {
  enum Kind: String, CaseIterable {
    case man, completions, reference

    /// Where the files stand in the repository.
    var directory: String {
      switch self {
      case .man: "Docs/man"
      case .completions: "completions"
      case .reference: "Docs/reference"
      }
    }
  }

  struct File {
    let name: String
    let content: String
  }

  /// All files of a kind.
  static func all(_ kind: Kind) -> [File] {
    let tool = Catalog.tool
    switch kind {
    case .man:
      return [File(name: "\(tool).1", content: ManPage.ofTool())]
        + ManPage.pages.map { File(name: "\(ManPage.name($0)).1", content: ManPage.of($0)) }
    case .completions:
      return [
        File(name: "\(tool).bash", content: Completions.bash()),
        File(name: "_\(tool)", content: Completions.zsh()),
        File(name: "\(tool).fish", content: Completions.fish()),
      ]
    case .reference:
      return [File(name: "\(tool).md", content: Reference.ofTool())]
        + Catalog.visible.map {
          File(name: Reference.fileName($0), content: Reference.of($0))
        }
    }
  }
}
