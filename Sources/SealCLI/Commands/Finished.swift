// Whether a database is finished although no journal says so: a run can be stopped after a file got its
// name and before that was written down. Only asked where a run goes on, and only of databases that
// were refused as what a finished one would be refused as.

internal import SealCore

/// Looks at databases that an earlier run may have finished.
struct Finished: Sendable {
  let conversions: Conversions
  let keys: Conversions.Keys

  private var core: CoreFunctions { conversions.session.core }

  /// `error`: what the conversion was refused with. False where that cannot be told.
  func isFinished(
    _ step: ConversionPlan.Step, _ error: any Error, _ context: OperationContext
  ) throws -> Bool {
    do {
      switch step.destination {
      case .inPlace: return try isFinishedInPlace(step.source, error, context)
      case .target(let target): return try isFinished(step.source, target, error, context)
      }
    } catch SealError.interrupted(let number) {
      throw SealError.interrupted(signal: number)
    } catch { return false }
  }

  /// Whether an error is one that a finished database can be refused with. `shreds`: its source goes.
  static func isPossible(after error: any Error, shreds: Bool) -> Bool {
    switch error {
    case SealError.wrongKey, SealError.wrongKind, SealError.sameKey, SealError.exists: true
    case SealError.io(let failure): shreds && failure.call == .open
    default: false
    }
  }

  private func isFinishedInPlace(_ path: String, _ error: any Error, _ context: OperationContext)
    throws -> Bool
  {
    switch error {
    case SealError.wrongKey:
      return try keys.new.map { try opens(path, $0, context) == true } ?? false
    // With other settings named it may have got those; with none, nothing was ever to be done.
    case SealError.sameKey: return conversions.settings != CipherSettings()
    case SealError.wrongKind(_, let kind):
      if conversions.writesPlaintext { return kind == .plaintext }
      guard conversions.readsPlaintext, let key = sealingKey else { return false }
      return try opens(path, key, context) == true
    default: return false
    }
  }

  /// An output under its name is complete. It is taken for the one of this source if it has all of
  /// its content.
  private func isFinished(
    _ source: String, _ target: String, _ error: any Error, _ context: OperationContext
  ) throws -> Bool {
    var against: NamedDatabase?
    switch error {
    case SealError.exists(_, .target) where !conversions.shreds:
      var other = NamedDatabase(path: source)
      if !conversions.readsPlaintext {
        other.settings = conversions.readSettings
        other.key = try keys.old.fit(source, other.settings, context, core).key
      }
      against = other
    case SealError.io(let failure) where conversions.shreds && failure.call == .open: break
    default: return false
    }
    for settings in conversions.writesPlaintext ? [CipherSettings()] : outputSettings {
      let key = conversions.writesPlaintext ? nil : sealingKey
      var request = Verify.Request(
        NamedDatabase(path: target, key: key, settings: settings), context)
      request.quick = true
      request.against = against
      do {
        return try core.verify(request).code == .ok
      } catch SealError.wrongKey { continue }
    }
    return false
  }

  /// The key of an encrypted output; nil where it is one of a list.
  private var sealingKey: KeyMaterial? {
    if let new = keys.new { return new }
    if case .one(let key, _) = keys.old { return key }
    return nil
  }

  /// What an encrypted output may have been written with.
  private var outputSettings: [CipherSettings] {
    var settings = conversions.settings
    guard keys.new != nil else {
      settings.format = settings.format ?? CipherProfile.format4.formatNumber
      return [settings]
    }
    // A rekey keeps what its options do not name.
    let kept = settings.filled(from: conversions.readSettings)
    return settings.isDetecting ? [kept, CipherSettings()] : [kept]
  }

  /// nil where that cannot be told: a salt that is in no file.
  private func opens(_ path: String, _ key: KeyMaterial, _ context: OperationContext) throws
    -> Bool?
  {
    for settings in outputSettings {
      do {
        _ = try core.fittingKey(path, 1, { _ in key }, settings, context)
        return true
      } catch SealError.wrongKey { continue } catch SealError.badProfile { return nil }
    }
    return false
  }
}
