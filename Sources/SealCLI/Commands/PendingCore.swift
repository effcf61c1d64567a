// Stands in for the core's Encrypt and Decrypt until they land.
internal import SealCore
enum Encrypt {
  struct Request: Sendable {
    var source: String
    var output: OutputOptions
    var key: KeyMaterial
    var settings: CipherSettings
    var shred: Bool
    var context: OperationContext
  }
  static func precheck(source: String) throws {}
  static func run(_ request: Request) throws -> ConversionReport {
    throw SealError.unsupported(.schema(message: "not there yet"))
  }
}
enum Decrypt {
  struct Request: Sendable {
    var source: String
    var output: OutputOptions
    var key: KeyMaterial
    var settings: CipherSettings
    var pageSize: Int?
    var exact: Bool
    var context: OperationContext
  }
  static func precheck(source: String) throws {}
  static func run(_ request: Request) throws -> ConversionReport {
    throw SealError.unsupported(.schema(message: "not there yet"))
  }
}
