import Testing

@testable import SealCLI
