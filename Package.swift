// swift-tools-version: 6.0
// The package: C libraries of the system, the core, the command line, and the binary.
// `make` chooses the SQLCipher to link by PKG_CONFIG_PATH (see Makefile and Docs/building.md).
import PackageDescription

/// The folder of the multi-buffer library's archive; nothing is linked where it is not named.
let multiBuffer = Context.environment["DBSEAL_MULTIBUFFER"] ?? ""

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
]

/// `make fuzz` builds the targets of Tests/Fuzz as a program that libFuzzer drives; everybody else
/// has them as tests that replay the corpus.
let fuzz: Target =
  Context.environment["DBSEAL_FUZZ"] == nil
  ? .testTarget(
    name: "FuzzTests", dependencies: ["SealCLI", "SealCore", "CSQLCipher"], path: "Tests/Fuzz",
    exclude: ["Corpus", "Driver.swift", "make_corpus.py"], swiftSettings: settings)
  : .executableTarget(
    name: "dbseal-fuzz", dependencies: ["SealCLI", "SealCore", "CSQLCipher"], path: "Tests/Fuzz",
    exclude: ["Corpus", "ReplayTests.swift", "make_corpus.py"],
    swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])])

let package = Package(
  name: "dbseal",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "dbseal", targets: ["dbseal"])],
  targets: [
    .systemLibrary(
      name: "CSQLCipher", pkgConfig: "sqlcipher",
      providers: [.apt(["libsqlcipher-dev"]), .brew(["sqlcipher"])]),
    .systemLibrary(
      name: "CLibCrypto", pkgConfig: "libcrypto",
      providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
    .systemLibrary(name: "CSystem"),
    .target(name: "CSecretService"),
    .target(name: "CProcess"),
    .target(
      name: "CMultiBuffer", dependencies: ["CLibCrypto"],
      // Key derivation is a loop of a hundred thousands rounds, in debug builds too.
      cSettings: [.unsafeFlags(["-O2"], .when(configuration: .debug))]
        + (multiBuffer.isEmpty ? [] : [.define("DBSEAL_MULTIBUFFER")]),
      linkerSettings: multiBuffer.isEmpty
        ? [] : [.unsafeFlags(["-L\(multiBuffer)"]), .linkedLibrary("dbseal-ipsec-mb")]),
    .target(
      name: "SealCore", dependencies: ["CSQLCipher", "CLibCrypto", "CSystem", "CMultiBuffer"],
      swiftSettings: settings),
    .target(
      name: "SealCLI", dependencies: ["SealCore", "CSystem", "CSecretService", "CProcess"],
      swiftSettings: settings),
    .executableTarget(
      name: "dbseal", dependencies: ["SealCLI"], swiftSettings: settings,
      // Every function of a library is looked up at the start. Later look-ups save all registers on
      // the stack, where what was just copied (a key) would stay.
      linkerSettings: [
        .unsafeFlags(["-Xlinker", "-z", "-Xlinker", "now"], .when(platforms: [.linux]))
      ]),
    .testTarget(name: "SealCoreTests", dependencies: ["SealCore"], swiftSettings: settings),
    .testTarget(
      name: "SealCLITests", dependencies: ["SealCLI", "SealCore"], exclude: ["Golden"],
      swiftSettings: settings),
    fuzz,
  ]
)
