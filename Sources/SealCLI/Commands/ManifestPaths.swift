// Names in a manifest are relative to it, so that a checkout can stand anywhere.

internal import SealCore

/// Names of files in manifests.
enum ManifestPaths {
  /// The name that `path` has for this process.
  static func resolve(_ path: String, from manifest: String) -> String {
    if path.utf8.first == UInt8(ascii: "/") { return path }
    guard let folder = folder(of: manifest) else {
      // `-` alone would mean standard input.
      return OptionValues.same(path, "-") ? "./-" : path
    }
    return folder.utf8.last == UInt8(ascii: "/") ? folder + path : folder + "/" + path
  }

  /// What stands in the manifest for a `path` that `resolve` made; nil where that is all of it.
  static func written(_ path: String, in manifest: String) -> String? {
    let folder = resolve("", from: manifest)
    guard path.utf8.count > folder.utf8.count, path.utf8.starts(with: folder.utf8) else {
      return nil
    }
    return String(decoding: path.utf8.dropFirst(folder.utf8.count), as: UTF8.self)
  }

  /// The name that `path` has in a manifest; the whole one where nothing but the root is common.
  static func relative(_ path: String, to manifest: String) -> String {
    let ownFolder = folder(of: path)
    if ownFolder == nil, folder(of: manifest) == nil { return path }
    guard let base = SourceCheck.realPath(of: folder(of: manifest) ?? "."),
      let place = SourceCheck.realPath(of: ownFolder ?? ".")
    else { return path }
    let (from, to) = (parts(base), parts(place))
    let common = zip(from, to).prefix { $0.0 == $0.1 }.count
    let name = String(
      decoding: path.utf8.split(separator: UInt8(ascii: "/")).last ?? [], as: UTF8.self)
    guard common > 0 else { return (place == "/" ? "" : place) + "/" + name }
    let up = Array(repeating: "..", count: from.count - common)
    let down = to[common...].map { String(decoding: $0, as: UTF8.self) }
    return (up + down + [name]).joined(separator: "/")
  }

  /// What stands before the last slash; nil of a bare name.
  private static func folder(of path: String) -> String? {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
    return slash == path.utf8.startIndex ? "/" : String(path[..<slash])
  }

  private static func parts(_ path: String) -> [[UInt8]] {
    path.utf8.split(separator: UInt8(ascii: "/")).map { Array($0) }
  }
}
