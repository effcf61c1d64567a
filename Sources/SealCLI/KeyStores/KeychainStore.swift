// The macOS Keychain: generic passwords of service `dbseal` in the login keychain, the one in a file. The
// other one, for data protection, takes programs with an entitlement only, which a bare tool cannot have.
// Compiled where the Security framework is; those who wrote it ran it against a stand-in only.

internal import SealCore

#if canImport(Security)
  internal import Security

  /// The login keychain.
  struct KeychainStore: KeyStore {
    private typealias Entry = (key: CFString, value: CFTypeRef?)

    let backend = KeyBackend.keychain

    func obstacle() -> KeyStoreObstacle? { nil }

    func read(_ name: String) throws -> Secret? {
      var found: CFTypeRef?
      let query =
        item(name) + [
          (kSecReturnData, kCFBooleanTrue), (kSecMatchLimit, kSecMatchLimitOne),
        ]
      let status = SecItemCopyMatching(try dictionary(query), &found)
      if status == errSecItemNotFound { return nil }
      guard status == errSecSuccess, let found, CFGetTypeID(found) == CFDataGetTypeID() else {
        throw failure(status)
      }
      let data = unsafeDowncast(found, to: CFData.self)
      return Secret(
        copying: UnsafeRawBufferPointer(start: CFDataGetBytePtr(data), count: CFDataGetLength(data))
      )
    }

    func add(_ key: Secret, as name: String) throws {
      let status = SecItemAdd(
        try dictionary(item(name) + [(kSecValueData, data(key))]), nil)
      if status == errSecDuplicateItem { throw KeyStoreFailure(.changed) }
      guard status == errSecSuccess else { throw failure(status) }
    }

    func store(_ key: Secret, as name: String) throws {
      let status = SecItemUpdate(
        try dictionary(item(name)), try dictionary([(kSecValueData, data(key))]))
      if status == errSecItemNotFound { return try add(key, as: name) }
      guard status == errSecSuccess else { throw failure(status) }
    }

    func delete(_ name: String) throws -> Bool {
      let status = SecItemDelete(try dictionary(item(name)))
      if status == errSecItemNotFound { return false }
      guard status == errSecSuccess else { throw failure(status) }
      return true
    }

    func names() throws -> [String] {
      var found: CFTypeRef?
      let query =
        item(nil) + [
          (kSecReturnAttributes, kCFBooleanTrue), (kSecMatchLimit, kSecMatchLimitAll),
        ]
      let status = SecItemCopyMatching(try dictionary(query), &found)
      if status == errSecItemNotFound { return [] }
      guard status == errSecSuccess, let found, CFGetTypeID(found) == CFArrayGetTypeID() else {
        throw failure(status)
      }
      let items = unsafeDowncast(found, to: CFArray.self)
      return (0..<CFArrayGetCount(items)).compactMap { index in
        guard let item = CFArrayGetValueAtIndex(items, index) else { return nil }
        return account(of: Unmanaged<CFDictionary>.fromOpaque(item).takeUnretainedValue())
      }
    }

    /// The name of an item, from its attributes.
    private func account(of attributes: CFDictionary) -> String? {
      let key = Unmanaged.passUnretained(kSecAttrAccount).toOpaque()
      guard let value = CFDictionaryGetValue(attributes, key) else { return nil }
      return string(Unmanaged<CFString>.fromOpaque(value).takeUnretainedValue())
    }

    private func string(_ text: CFString) -> String? {
      var bytes = [CChar](repeating: 0, count: 1024)
      let isWhole = CFStringGetCString(
        text, &bytes, bytes.count, CFStringBuiltInEncodings.UTF8.rawValue)
      guard isWhole else { return nil }
      return String(
        validating: bytes.prefix { $0 != 0 }.lazy.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// What finds the item of that name, or all of them.
    private func item(_ name: String?) -> [Entry] {
      let all: [Entry] = [
        (kSecClass, kSecClassGenericPassword), (kSecAttrService, text("dbseal")),
        (kSecUseDataProtectionKeychain, kCFBooleanFalse),
      ]
      return name.map { all + [(kSecAttrAccount, text($0))] } ?? all
    }

    private func data(_ key: Secret) -> CFData? {
      key.withBytes { CFDataCreate(nil, $0.bindMemory(to: UInt8.self).baseAddress, $0.count) }
    }

    private func text(_ text: String) -> CFString? {
      let bytes = Array(text.utf8)
      return CFStringCreateWithBytes(
        nil, bytes, bytes.count, CFStringBuiltInEncodings.UTF8.rawValue, false)
    }

    /// Throws where a value could not be made: without it other items would be meant, or all of them.
    private func dictionary(_ entries: [Entry]) throws -> CFDictionary {
      var keys = kCFTypeDictionaryKeyCallBacks
      var values = kCFTypeDictionaryValueCallBacks
      let table: CFMutableDictionary = CFDictionaryCreateMutable(nil, 0, &keys, &values)
      for entry in entries {
        guard let value = entry.value else {
          throw KeyStoreFailure(.failed("a value could not be handed to it"))
        }
        CFDictionarySetValue(
          table, Unmanaged.passUnretained(entry.key).toOpaque(),
          Unmanaged.passUnretained(value).toOpaque())
      }
      return table
    }

    /// The system's words for a status, such as that there is no default keychain, and its number.
    private func words(of status: OSStatus) -> String {
      let words = SecCopyErrorMessageString(status, nil).flatMap(string)
      return words.map { "\($0) (status \(status))" } ?? "status \(status)"
    }

    private func failure(_ status: OSStatus) -> KeyStoreFailure {
      switch status {
      case errSecInteractionNotAllowed, errSecAuthFailed, errSecUserCanceled:
        KeyStoreFailure(.locked)
      default: KeyStoreFailure(.failed(words(of: status)))
      }
    }
  }
#else
  /// There is none here.
  struct KeychainStore: KeyStore {
    let backend = KeyBackend.keychain
    func obstacle() -> KeyStoreObstacle? { .otherSystem }
    func read(_ name: String) throws -> Secret? { nil }
    func store(_ key: Secret, as name: String) throws {
      throw KeyStoreFailure(.unavailable(.otherSystem))
    }
    func delete(_ name: String) throws -> Bool { false }
    func names() throws -> [String] { [] }
  }
#endif
