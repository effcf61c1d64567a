// A database as whoever asks for it names it: the one to look into, to check, to compare with.

/// Where a database is, and what opens it.
public struct NamedDatabase: Sendable {
  public var path: String
  /// nil for a plaintext database.
  public var key: KeyMaterial?
  /// What to read; detected where nothing is named.
  public var settings: CipherSettings
  /// The key is another database's, because none was named for this one.
  public var hasSharedKey = false

  public init(path: String, key: KeyMaterial? = nil, settings: CipherSettings = CipherSettings()) {
    self.path = path
    self.key = key
    self.settings = settings
  }
}
