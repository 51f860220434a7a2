/// Figures by category and series: what pies and bars are made of.
package struct FigureGrid: Hashable, Sendable {
    /// The figure of one category and one series.
    package struct Cell: Hashable, Sendable {
        /// The number; nil where there is none, or none that can be drawn.
        package var value: Double?
        /// The filter expression of the entries behind it.
        package var filter: String?
    }

    /// A category, with a cell for each series.
    package struct Row: Hashable, Sendable {
        /// The category.
        package var label: Label
        /// A cell for each series of the grid, in its order.
        package var cells: [Cell]
        /// Whether this row is the sum of categories for which there was no space.
        package var isRest = false

        var sum: Double { cells.reduce(0) { $0 + ($1.value ?? 0) } }
    }

    /// The order of categories.
    package enum Order: Hashable, Sendable {
        /// The largest first.
        case descending
        /// As they first appear; for choices with an order of their own.
        case given
        /// As they first appear, and none is put together with others: days, months, steps.
        case sequence
    }

    /// The series; "other", where there is one, is last.
    package let series: [Label]
    /// The rows; "other", where there is one, is last.
    package let rows: [Row]
    /// Sentences on what is left out.
    package private(set) var notes: [String] = []

    /// Puts figures in order and what has no space together.
    ///
    /// - Parameters:
    ///   - isAdditive: whether figures are counts or sums. What cannot be added is left out
    ///     instead, and a note says so.
    /// - Throws: `repeated`, where figures that cannot be added have the same place.
    package init(
        _ figures: [Figure], order: Order, mostRows: Int, mostSeries: Int, isAdditive: Bool
    ) throws(ChartError) {
        var found = Sparse()
        var undrawable = 0
        for figure in figures {
            let (row, column) = found.place(figure.category, figure.series)
            let before = found.cells[row][column]
            guard let value = figure.value?.drawable else {
                if figure.value != nil { undrawable += 1 }
                found.cells[row][column] = before ?? Cell(value: nil, filter: figure.filter)
                continue
            }
            guard let other = before?.value else {
                found.cells[row][column] = Cell(value: value, filter: figure.filter)
                continue
            }
            guard isAdditive, let sum = (other + value).drawable else {
                throw .repeated(category: figure.category.text, series: figure.series.text)
            }
            found.cells[row][column]?.value = sum
        }
        if undrawable > 0 {
            notes.append(Numeral.count(undrawable, "value", "values") + " cannot be drawn")
        }
        let (series, dense) = found.dense(mostSeries, isAdditive, &notes)
        var rows = dense
        Self.limitRows(&rows, order, mostRows, isAdditive, &notes)
        self.series = series
        self.rows = Self.told(apart: rows)
    }

    /// The figures as they come: of many series, most categories have few.
    private struct Sparse {
        var categories: [Label] = []
        var series: [Label] = []
        var cells: [[Int: Cell]] = []
        private var rowOf: [Label: Int] = [:]
        private var columnOf: [Label: Int] = [:]

        mutating func place(_ category: Label, _ series: Label) -> (row: Int, column: Int) {
            let row = rowOf[category] ?? categories.count
            if row == categories.count {
                rowOf[category] = row
                categories.append(category)
                cells.append([:])
            }
            let column = columnOf[series] ?? self.series.count
            if column == self.series.count {
                columnOf[series] = column
                self.series.append(series)
            }
            return (row, column)
        }

        /// The rows with a cell for each series; of too many series the smallest are put together.
        func dense(
            _ most: Int, _ isAdditive: Bool, _ notes: inout [String]
        ) -> (series: [Label], rows: [Row]) {
            var kept = Array(series.indices)
            if series.count > most {
                var sizes = series.map { _ in 0.0 }
                for row in cells {
                    for (column, cell) in row {
                        sizes[column] += (cell.value ?? 0).magnitude / Double(cells.count)
                    }
                }
                let ranked = kept.sorted {
                    sizes[$0] == sizes[$1] ? $0 < $1 : sizes[$0] > sizes[$1]
                }
                kept = ranked.prefix(isAdditive ? most - 1 : most).sorted()
                if !isAdditive {
                    let dropped = series.count - most
                    notes.append(
                        Numeral.count(dropped, "more series is", "more series are")
                            + " not shown")
                }
            }
            let hasRest = isAdditive && kept.count < series.count
            let isKept = Set(kept)
            let rows = zip(categories, cells).map { category, cells in
                var row = Row(label: category, cells: kept.map { cells[$0] ?? Cell() })
                if hasRest {
                    let values = cells.filter { !isKept.contains($0.key) }
                        .sorted { $0.key < $1.key }.compactMap(\.value.value)
                    row.cells.append(Cell(value: values.isEmpty ? nil : values.reduce(0, +)))
                }
                return row
            }
            let rest = hasRest ? [Label.others(series.count - kept.count)] : []
            return (kept.map { series[$0] } + rest, rows)
        }
    }

    private static func limitRows(
        _ rows: inout [Row], _ order: Order, _ most: Int, _ isAdditive: Bool,
        _ notes: inout [String]
    ) {
        func size(_ row: Row) -> Double {
            isAdditive ? row.sum : row.cells.compactMap(\.value).max() ?? -.infinity
        }
        if order == .descending { rows = sorted(rows, by: size) }
        guard rows.count > most else { return }
        if order == .sequence {
            let dropped = rows.count - most
            notes.append(
                Numeral.count(dropped, "earlier one is", "earlier ones are") + " not shown")
            rows.removeFirst(rows.count - most)
            return
        }
        // A large loss is worth as much space as a large gain.
        let ranked = sorted(rows) { size($0).isFinite ? size($0).magnitude : -1 }
        let kept = Set(ranked.prefix(isAdditive ? most - 1 : most).map(\.label))
        var rest = Row(
            label: .others(rows.count - kept.count),
            cells: rows[0].cells.map { _ in Cell() }, isRest: true)
        if isAdditive {
            for row in rows where !kept.contains(row.label) {
                for (index, cell) in row.cells.enumerated() {
                    guard let value = cell.value else { continue }
                    rest.cells[index].value = (rest.cells[index].value ?? 0) + value
                }
            }
        } else {
            let dropped = rows.count - most
            notes.append(
                Numeral.count(dropped, "more category is", "more categories are") + " not shown")
        }
        rows = rows.filter { kept.contains($0.label) } + (isAdditive ? [rest] : [])
    }

    /// The rows, the largest first; equal ones stay as they came.
    private static func sorted(_ rows: [Row], by size: (Row) -> Double) -> [Row] {
        rows.enumerated().map { (size($1), $0, $1) }
            .sorted { $0.0 == $1.0 ? $0.1 < $1.1 : $0.0 > $1.0 }.map(\.2)
    }

    /// The rows with the stored value behind the text where several have the same text.
    private static func told(apart rows: [Row]) -> [Row] {
        let times = Dictionary(rows.map { ($0.label.text, 1) }, uniquingKeysWith: +)
        return rows.map { row in
            guard times[row.label.text, default: 1] > 1, let value = row.label.value,
                value != row.label.text, !CleanText.line(value, most: 200).isEmpty
            else { return row }
            var row = row
            row.label = Label(value: value, text: "\(row.label.text) (\(value))")
            return row
        }
    }
}
