// Plan: manifests, where a unit is easier than the binary.
// - every field that is read is described in Docs/manifest.md, and every one described is read;
// - no text, whatever was done to a manifest, does more than fail with its line;
// - names go from the manifest's folder to the process's and back;
// - names of a list: no bytes do more than fail.
import Foundation
import Testing

@testable import SealCLI
@testable import SealCore

@Suite struct ManifestTests {
  private func command() throws -> ParsedCommand {
    guard case .run(let parsed) = try Parser.parse(["verify", "--manifest", "m"]) else {
      throw UsageFlaw.noCommand
    }
    return parsed
  }

  @Test func documentsEveryField() throws {
    let page = try String(
      contentsOf: repository.appendingPathComponent("Docs/manifest.md"), encoding: .utf8)
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") }
    let named = rows.flatMap { row in
      row.split(separator: "|")[0].split(separator: "`").filter {
        $0.allSatisfy { $0.isLetter || $0 == "_" } && !$0.isEmpty
      }.map(String.init)
    }
    #expect(named.sorted() == ManifestFields.all.sorted())
    #expect(Set(ManifestFields.all).count == ManifestFields.all.count)
  }

  private static let text = """
    {"dbseal_manifest": 1, "databases": [{"file": "a.db", "name": "x", "encrypted": true,
    "key_env": "K", "raw_key": true, "key_timeout": 5.5, "format": 4, "page_size": 4096,
    "kdf_iter": 7, "hmac_algorithm": "sha512", "salt": "\(String(repeating: "ab", count: 16))",
    "quick": true, "sample": 5, "user_version": -7, "application_id": 4294967295,
    "tables": {"t": 3, "u": null}, "expect_code": "wrong_key"}, {"file": "../b.db"}]}
    """

  @Test func survivesEveryChangeOfAByte() throws {
    let parsed = try command()
    let seed = Array(Self.text.utf8)
    #expect(try Manifest(seed, "m", parsed).tasks.count == 2)
    var count = 0
    for index in seed.indices {
      for byte in Array("09-\"\\{}[],:e.x".utf8) + [0, 0x0a, 0xff] {
        var changed = seed
        changed[index] = byte
        do {
          if try !Manifest(changed, "m", parsed).tasks.isEmpty { count += 1 }
        } catch let flaw as ManifestFlaw { #expect(flaw.line.map { $0 > 0 && $0 < 7 } == true) }
      }
    }
    #expect(count > 100)
  }

  @Test(
    arguments: [
      ("a.db", "m.json", "a.db"), ("-", "m.json", "./-"), ("/x/a.db", "ci/m.json", "/x/a.db"),
      ("a.db", "ci/m.json", "ci/a.db"), ("../a.db", "/m.json", "/../a.db"),
      ("a b", "./m.json", "./a b"),
    ])
  func resolvesNames(_ name: String, _ manifest: String, _ place: String) {
    #expect(ManifestPaths.resolve(name, from: manifest) == place)
  }

  @Test func saysNamesAsSeenFromTheManifest() throws {
    let folder = try Folder()
    for name in ["a", "a/b", "c"] {
      try FileManager.default.createDirectory(
        atPath: folder.path + "/" + name, withIntermediateDirectories: true)
    }
    for (file, manifest, expected) in [
      ("x.db", "m", "x.db"), ("a/x.db", "m", "a/x.db"), ("x.db", "a/m", "../x.db"),
      ("c/é x.db", "a/b/m", "../../c/é x.db"), ("a/b/x.db", "a/m", "b/x.db"),
    ] {
      let found = ManifestPaths.relative(folder.path + "/" + file, to: folder.path + "/" + manifest)
      #expect(found == expected)
    }
    #expect(ManifestPaths.relative("x.db", to: "m.json") == "x.db")
    #expect(ManifestPaths.relative("/x.db", to: folder.path + "/m") == "/x.db")
    #expect(ManifestPaths.relative("/bin/x.db", to: folder.path + "/m").hasSuffix("bin/x.db"))
  }

  @Test func readsNamesOfAnyBytes() throws {
    let letters: [UInt8] = [
      0, 0x0a, 0x0d, 0x20, 0x61, 0x78, 0x27, 0xc3, 0xa9, 0xff, 0xef, 0xbb, 0xbf,
    ]
    var lists: [[UInt8]] = [[]]
    for length in 0..<4 {
      lists += lists.filter { $0.count == length }.flatMap { list in letters.map { list + [$0] } }
    }
    for bytes in lists {
      let found = [try? FileList.lines(bytes, "list"), try? FileList.ended(bytes, "list")]
      for name in found.flatMap({ $0 ?? [] }) {
        #expect(!name.isEmpty && !name.utf8.contains(0))
      }
    }
  }
}
