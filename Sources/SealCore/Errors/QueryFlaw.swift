// What can be wrong with a query that a user hands in, as facts.

/// Why a query is not run.
public enum QueryFlaw: Sendable, Equatable {
  /// Blanks and comments only.
  case empty
  case severalStatements
  case notReadOnly
  /// It does something that a query may not. `action` says it as SQL does: `ATTACH`.
  case refused(action: String)
  /// It does not compile, or failed while it ran. `message` is SQLite's.
  case failed(message: String)
  /// A value was given for a parameter that is not in it.
  case unknownParameter(String)
  /// Two values were given for one parameter.
  case repeatedParameter(String)
  /// A parameter got no value.
  case missingParameter(String)
}
