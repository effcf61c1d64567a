// What stands in the way of an output, or of a source that is to go, in words.

internal import SealCore

extension Diagnostics {
  /// Something has the name already, or names more than what is to be changed.
  static func exists(_ path: String, _ obstacle: Obstacle) -> Diagnosis {
    let words: (String, String?, String) =
      switch obstacle {
      case .target:
        (
          "the target exists",
          "name another TARGET, or replace it with --force; --backup .old then keeps it", "target"
        )
      case .sameFile:
        ("source and target are one file", "--in-place replaces a database itself", "same_file")
      case .directory:
        ("the target is a directory", "name a file in it, or use --output-dir", "directory")
      case .directoryForFile: ("a directory stands there", "name a file in it", "directory")
      case .notRegular: ("the target is not a regular file", "choose another name", "not_regular")
      case .system:
        (
          "that name is in /dev or /proc, or leads there, and no file is made there",
          "give the name of a file", "system"
        )
      case .danglingLink:
        ("the target is a symbolic link to nothing", "remove the link", "dangling_link")
      case .hardLinked(let links):
        (
          "the file has \(links) names (hard links), and only this one would change",
          "--force changes it all the same", "hard_linked"
        )
      case .shared(let canBeForced):
        (
          "its content has other names (links), and would be overwritten under those too",
          canBeForced
            ? "--force overwrites it all the same"
            : "look what it leads to, and remove it if it is not the database's", "shared"
        )
      case .sidecar:
        (
          "\(ConversionPlan.baseName(path)) stands beside the target and belongs to another"
            + " database",
          "move it away, for it may hold rows of that database; --force removes it", "sidecar"
        )
      case .companion:
        (
          "that is a name which SQLite keeps for a file of the database itself",
          "choose another name", "companion"
        )
      case .foreign: ("a file of another kind stands there", "choose another name", "foreign")
      case .input:
        (
          "this run reads a key or a list from that file, which cannot be a database of the run, a"
            + " backup or a file beside one too", "choose another name", "input"
        )
      case .backup: ("the backup exists", "choose another --backup suffix", "backup")
      }
    // What is in the way is the sidecar, what it is about is the target.
    var subject = path
    if case .sidecar(let target) = obstacle { subject = target }
    return Diagnosis(
      .exists, words.0, about: subject, hint: words.1,
      facts: [.init("obstacle", .string(words.2)), .init("path", .string(path))])
  }
}
