// Whether a secret is the name of a file. A key is no name to ask the system for: it would stand in audit
// logs and go to file servers. So what a folder lists is compared with it first.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

extension System {
  /// Whether a regular file is called so. No failure is told apart.
  static func isFile(named name: Secret) -> Bool {
    guard name.count <= 4096, !name.withBytes({ $0.contains(0) }), let path = pathInFolders(name)
    else { return false }
    var facts = stat()
    return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
  }

  /// The path that a secret is, where each of its parts is in the folder that the parts before it
  /// name: no more of it than what folders list has been shown to the system by then.
  private static func pathInFolders(_ name: Secret) -> String? {
    name.withBytes { bytes in
      var path = bytes.first == 0x2f ? "/" : ""
      for part in bytes.split(separator: 0x2f) {
        let isStep = part.elementsEqual(".".utf8) || part.elementsEqual("..".utf8)
        let names = isStep ? nil : try? names(in: path.isEmpty ? "." : path)
        let found = isStep ? nil : names?.first { $0.utf8.elementsEqual(part) }
        guard isStep || found != nil else { return nil }
        path += (found ?? String(decoding: part, as: UTF8.self)) + "/"
      }
      // What ends in a slash names no file.
      return bytes.last == 0x2f ? nil : String(path.dropLast())
    }
  }
}
