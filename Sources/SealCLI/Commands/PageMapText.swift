// The use of a database's pages as a map that fits a terminal: one character stands for a run of
// pages, with a legend and the counts below.

internal import SealCore

/// Draws the map.
struct PageMapText {
  /// Lines at most, and cells that stand together.
  private static let rows = 24
  private static let group = 16

  let runs: [PageUses.Run]
  private let count: Int
  /// Cells of a line.
  private let columns: Int

  /// `width`: columns of where it is shown.
  init(_ content: ContentFacts, width: Int = 80) {
    var runs: [PageUses.Run] = []
    content.map?.forEachRun { runs.append($0) }
    self.runs = runs
    count = Int(content.map?.count ?? 0)
    let room = width - 3 - String(count).count
    columns =
      [128, 64, 32, Self.group].first { $0 + $0 / Self.group - 1 <= room } ?? max(1, room)
  }

  /// The character of each use, and what it is called.
  static func symbol(_ use: PageUse) -> (mark: Character, name: String, word: String) {
    switch use {
    case .tableLeaf: ("t", "table_leaf", "rows of tables")
    case .tableInterior: ("T", "table_interior", "inner pages of tables")
    case .indexLeaf: ("i", "index_leaf", "entries of indexes")
    case .indexInterior: ("I", "index_interior", "inner pages of indexes")
    case .overflow: ("o", "overflow", "rest of long values")
    case .freeTrunk: ("F", "free_trunk", "lists of free pages")
    case .freeLeaf: ("f", "free", "free")
    case .pointerMap: ("p", "pointer_map", "pointer maps (auto_vacuum)")
    case .lockByte: ("L", "lock_byte", "lock byte, never used")
    case .unused: ("-", "unused", "nothing leads there")
    case .damaged: ("X", "damaged", "damaged")
    case .unreached: ("?", "unreached", "unknown: what leads there may be damaged")
    }
  }

  /// How many pages have each use; uses without pages are left out.
  var counts: [(use: PageUse, count: Int)] {
    var numbers = [Int](repeating: 0, count: PageUse.allCases.count)
    for run in runs { numbers[Int(run.use.rawValue)] += Int(run.last - run.first) + 1 }
    return PageUse.allCases.map { ($0, numbers[Int($0.rawValue)]) }.filter { $0.count > 0 }
  }

  /// Pages that one cell stands for.
  var pagesPerCell: Int {
    max(1, (count + columns * Self.rows - 1) / (columns * Self.rows))
  }

  var lines: [String] {
    guard count > 0 else { return ["  no map: page 1 cannot be read"] }
    let size = pagesPerCell
    let cells = cells(of: size)
    let each = size == 1 ? "a page each" : "\(size) pages each, damage before all else"
    var lines = ["  map, \(each):"]
    let digits = String(count).count
    for start in stride(from: 0, to: cells.count, by: columns) {
      let label = TextWidth.padded("\(start * size + 1)", to: digits, right: true)
      let line = cells[start..<min(start + columns, cells.count)]
      let groups = stride(from: start, to: line.endIndex, by: Self.group).map {
        String(line[$0..<min($0 + Self.group, line.endIndex)])
      }
      lines.append("  \(label) \(groups.joined(separator: " "))")
    }
    let width = counts.reduce(0) { max($0, String($1.count).count) }
    for (use, count) in counts {
      let symbol = Self.symbol(use)
      lines.append(
        "  \(symbol.mark)  \(TextWidth.padded("\(count)", to: width, right: true))  \(symbol.word)")
    }
    return lines
  }

  /// The characters of all cells. A cell is damaged if any of its pages is, else it is what most
  /// of them are.
  private func cells(of size: Int) -> [Character] {
    let all = (count + size - 1) / size
    var numbers = Array(
      repeating: [Int](repeating: 0, count: PageUse.allCases.count), count: all)
    for run in runs {
      let (first, last) = (Int(run.first) - 1, Int(run.last) - 1)
      for cell in (first / size)...(last / size) {
        let overlap = min(last, cell * size + size - 1) - max(first, cell * size) + 1
        numbers[cell][Int(run.use.rawValue)] += overlap
      }
    }
    return numbers.map { counts in
      let isDamaged = counts[Int(PageUse.damaged.rawValue)] > 0
      let most = PageUse.allCases.max { counts[Int($0.rawValue)] < counts[Int($1.rawValue)] }
      return Self.symbol(isDamaged ? .damaged : most ?? .unused).mark
    }
  }
}
