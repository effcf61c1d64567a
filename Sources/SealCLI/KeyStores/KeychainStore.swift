// The macOS Keychain: generic passwords of service `dbseal`, readable on this device only, after the first
// unlock. Compiled where the Security framework is; it was never run by those who wrote it.

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
      let status = SecItemCopyMatching(dictionary(query), &found)
      if status == errSecItemNotFound { return nil }
      guard status == errSecSuccess, let found, CFGetTypeID(found) == CFDataGetTypeID() else {
        throw failure(status)
      }
      let data = unsafeDowncast(found, to: CFData.self)
      return Secret(
        copying: UnsafeRawBufferPointer(start: CFDataGetBytePtr(data), count: CFDataGetLength(data))
      )
    }

    func store(_ key: Secret, as name: String) throws {
      let data = key.withBytes {
        CFDataCreate(nil, $0.bindMemory(to: UInt8.self).baseAddress, $0.count)
      }
      var status = SecItemUpdate(dictionary(item(name)), dictionary([(kSecValueData, data)]))
      if status == errSecItemNotFound {
        let new =
          item(name) + [
            (kSecValueData, data),
            (kSecAttrAccessible, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly),
          ]
        status = SecItemAdd(dictionary(new), nil)
      }
      guard status == errSecSuccess else { throw failure(status) }
    }

    func delete(_ name: String) throws -> Bool {
      let status = SecItemDelete(dictionary(item(name)))
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
      let status = SecItemCopyMatching(dictionary(query), &found)
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
      let text = Unmanaged<CFString>.fromOpaque(value).takeUnretainedValue()
      var bytes = [CChar](repeating: 0, count: 1024)
      let isWhole = CFStringGetCString(
        text, &bytes, bytes.count, CFStringBuiltInEncodings.UTF8.rawValue)
      return isWhole ? String(validatingCString: bytes) : nil
    }

    /// What finds the item of that name, or all of them.
    private func item(_ name: String?) -> [Entry] {
      let all: [Entry] = [
        (kSecClass, kSecClassGenericPassword), (kSecAttrService, text("dbseal")),
      ]
      return name.map { all + [(kSecAttrAccount, text($0))] } ?? all
    }

    private func text(_ text: String) -> CFString? {
      let bytes = Array(text.utf8)
      return CFStringCreateWithBytes(
        nil, bytes, bytes.count, CFStringBuiltInEncodings.UTF8.rawValue, false)
    }

    private func dictionary(_ entries: [Entry]) -> CFDictionary {
      var keys = kCFTypeDictionaryKeyCallBacks
      var values = kCFTypeDictionaryValueCallBacks
      let table: CFMutableDictionary = CFDictionaryCreateMutable(nil, 0, &keys, &values)
      for entry in entries {
        guard let value = entry.value else { continue }
        CFDictionarySetValue(
          table, Unmanaged.passUnretained(entry.key).toOpaque(),
          Unmanaged.passUnretained(value).toOpaque())
      }
      return table
    }

    private func failure(_ status: OSStatus) -> KeyStoreFailure {
      switch status {
      case errSecInteractionNotAllowed, errSecAuthFailed, errSecUserCanceled:
        KeyStoreFailure(.locked)
      default: KeyStoreFailure(.failed("status \(status)"))
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
