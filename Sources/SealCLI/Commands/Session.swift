// What a command needs beside its options: the console, the sources of keys, the core's functions,
// and the parsed common options. A value, so that tests can put their own in its place.

internal import SealCore

/// What the engine and the crypto provider call themselves, for `--version`.
struct EngineFacts: Sendable {
  /// SQLCipher's version; nil where the library is no SQLCipher.
  var sqlcipher: String?
  var sqlite: String
  /// The crypto provider with its version.
  var crypto: String

  /// Those of this process.
  static var current: EngineFacts {
    let engine = Engine.current
    return EngineFacts(
      sqlcipher: engine.cipherVersion, sqlite: engine.sqliteVersion,
      crypto: CryptoProvider.description)
  }
}

/// The core's functions that commands call.
struct CoreFunctions: Sendable {
  var look: @Sendable (String) throws -> FileFacts = { try Inspect.look($0) }
  var contents: @Sendable (NamedDatabase, Inspect.Depth, OperationContext) throws -> ContentFacts =
    {
      try Inspect.contents(of: $0, $1, $2)
    }
  var precheckEncrypt: @Sendable (String, OutputOptions) throws -> Void = {
    try Encrypt.precheck(source: $0, output: $1)
  }
  var precheckDecrypt: @Sendable (String, OutputOptions, CipherSettings) throws -> Void = {
    try Decrypt.precheck(source: $0, output: $1, settings: $2)
  }
  /// With whether the source is shredded.
  var encrypt: @Sendable (ConversionRequest, Bool) throws -> ConversionReport = {
    try Encrypt.run($0, shred: $1)
  }
  /// With the page size of the output, and whether pages stay as they are.
  var decrypt: @Sendable (ConversionRequest, Int?, Bool) throws -> ConversionReport = {
    try Decrypt.run($0, pageSize: $1, exact: $2)
  }
  var precheckReseal: @Sendable (String, OutputOptions, CipherSettings) throws -> Void = {
    try Reseal.precheck(source: $0, output: $1, settings: $2)
  }
  var reseal:
    @Sendable (ConversionRequest, Reseal.Change, CipherSettings) throws -> ConversionReport = {
      try Reseal.run($0, change: $1, reading: $2)
    }
  /// With whether a key was named for it; answers whether the database needs one.
  var needsKey: @Sendable (String, CipherSettings, Bool) throws -> Bool = {
    try SourceCheck.needsKey(path: $0, settings: $1, keyIsNamed: $2)
  }
  /// The number of the first key that opens the database.
  var fittingKey:
    @Sendable (String, Int, @escaping KeyTrial.Key, CipherSettings, OperationContext) throws
      -> Int = { try KeyTrial.firstFit($0, $1, $2, settings: $3, $4) }
  var verify: @Sendable (Verify.Request) throws -> VerifyReport = { try Verify.run($0) }
  var migrate: @Sendable (SchemaMigration.Request) throws -> MigrationReport = {
    try SchemaMigration.run($0)
  }
}

/// The surroundings of a run.
struct Session: Sendable {
  let console: Console
  var keys = KeySources()
  var core = CoreFunctions()
  var cancellation = Cancellation()
  var engine: @Sendable () -> EngineFacts = { .current }
  /// `$NO_COLOR` is set and not empty.
  var noColor = false
  /// `$TERM` is `dumb`.
  var dumbTerminal = false
}
