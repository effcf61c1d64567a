// What the command line may ask of a folder, too: key stores can be folders.

/// A folder by its path.
public enum Folder {
  /// The names in it, without order and without those that are not UTF-8. Throws `SealError.io`.
  public static func names(of path: String) throws -> [String] { try System.names(in: path) }

  /// The same without what is no regular file, nor a link to one.
  public static func fileNames(of path: String) throws -> [String] {
    try names(of: path).filter { try FileStatus.of("\(path)/\($0)")?.kind == .regular }
  }
}
