/// Reads sheets that stand below one another in one table, told apart by a cell in the first column.
///
/// A sheet may go on further down, in a block that begins with its name again. Such a block has a
/// header of its own, whose columns may stand in another order and may be others; one whose first row
/// shares nothing with the header has the columns of the first block.
struct StackedSheets {
    private(set) var sheets: [Sheet] = []
    /// The sheets by their folded names.
    private var places: [String: Int] = [:]
    /// Of each sheet the columns of a header, from the left.
    private var headers: [[String: [Int]]] = []
    /// Of each sheet the rightmost column that is used.
    private var widths: [Int] = []
    /// The sheet whose block is read.
    private var current: Int?
    /// Whether that goes on with a sheet, and its first row has not come.
    private var awaitsHeader = false
    /// Where the columns of a block that has its own header stand in its sheet.
    private var columns: [Int: Int]?

    /// - Parameter row: with the name of a sheet in its first column, or nothing.
    mutating func add(_ row: Row) {
        if !row[1].isEmpty { begin(row[1]) }
        var moved = Row(number: row.number)
        for cell in row.cells where cell.column > 1 {
            moved.set(column: cell.column - 1, cell.text)
        }
        guard !moved.cells.isEmpty, let place = current else { return }
        if sheets[place].rows.isEmpty {
            for cell in moved.cells { note(cell.text, cell.column, of: place) }
        } else if awaitsHeader {
            awaitsHeader = false
            if moved.cells.contains(where: { headers[place][Sheet.folded($0.text)] != nil }) {
                readHeader(moved, of: place)
                return
            }
        }
        append(moved, to: place)
    }

    private mutating func begin(_ name: String) {
        columns = nil
        let key = Sheet.folded(name)
        if let place = places[key] {
            current = place
            awaitsHeader = !sheets[place].rows.isEmpty
            return
        }
        (places[key], current, awaitsHeader) = (sheets.count, sheets.count, false)
        sheets.append(Sheet(name: name))
        headers.append([:])
        widths.append(0)
    }

    private mutating func note(_ title: String, _ column: Int, of place: Int) {
        headers[place][Sheet.folded(title), default: []].append(column)
    }

    /// Finds the columns of a further header among those of the sheet, which gets those that it lacks.
    private mutating func readHeader(_ row: Row, of place: Int) {
        var found: [Int: Int] = [:]
        var times: [String: Int] = [:]
        for cell in row.cells {
            let title = Sheet.folded(cell.text)
            let number = times[title, default: 0]
            times[title] = number + 1
            let same = headers[place][title] ?? []
            if number < same.count {
                found[cell.column] = same[number]
            } else {
                widths[place] += 1
                note(cell.text, widths[place], of: place)
                sheets[place].rows[0].set(column: widths[place], cell.text)
                found[cell.column] = widths[place]
            }
        }
        columns = found
    }

    private mutating func append(_ row: Row, to place: Int) {
        var row = row
        if let columns {
            var moved = Row(number: row.number)
            for cell in row.cells {
                if let column = columns[cell.column] { moved.set(column: column, cell.text) }
            }
            row = moved
        }
        guard let last = row.cells.last else { return }
        widths[place] = max(widths[place], last.column)
        sheets[place].rows.append(row)
    }
}
