// Where the new key is to be typed, the old one is tried first: nobody types a key twice for nothing.

internal import SealCore

extension Conversions {
  /// The old key opens none of the databases: why, by their places.
  struct OldKeyRefused: Error {
    let errors: [Int: any Error]
  }

  /// The most databases on which the old key is tried before the new one is asked for.
  private static let mostTries = 16

  /// Throws `OldKeyRefused` where it opens none of the databases that could be converted.
  func oldKey(
    _ key: KeyChoice, _ plan: ConversionPlan, _ checks: [Result<Void, any Error>], _ batch: Batch
  ) throws {
    guard case .one(let key, _) = key else { return }
    let ready = plan.steps.indices.filter { (try? checks[$0].get()) != nil }
    guard ready.count <= Self.mostTries else { return }
    var errors: [Int: any Error] = [:]
    for index in ready {
      do {
        _ = try session.core.fittingKey(
          plan.steps[index].source, 1, { _ in key }, readSettings, batch.context(of: index))
        return
      } catch SealError.wrongKey(let wrong) {
        errors[index] = SealError.wrongKey(wrong)
      } catch SealError.interrupted(let number) {
        throw SealError.interrupted(signal: number)
      } catch { return }
    }
    throw OldKeyRefused(errors: errors)
  }
}
