// Why a hot journal cannot be rolled back in full, as facts.

/// What is wrong with a hot journal, so that rolling back leaves a mix of two states.
public struct JournalFlaw: Sendable, Equatable {
  public enum Cause: String, Sendable {
    /// The header behind `record` is broken; 0 is the first header.
    case header
    case checksum
    /// Of a page that the database did not have.
    case pageNumber = "page_number"
    /// Of a page that a record before it holds: SQLite writes each once.
    case repeated
    /// The file ends in it.
    case cut
    /// Sound, and not counted by its header.
    case count
  }
  public var cause: Cause
  /// The record, from 1.
  public var record: UInt64
  /// Records by what the headers say.
  public var records: UInt64
}
