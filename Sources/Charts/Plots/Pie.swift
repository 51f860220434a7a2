/// Parts of a whole.
package struct Pie: Hashable, Sendable {
    /// A part, with its share of the whole.
    package struct Slice: Hashable, Sendable {
        /// The category.
        package let label: Label
        /// Not negative; slices of zero are in the table and are not drawn.
        package let value: Double
        /// The share in tenths of a percent, rounded.
        package let tenths: Int
        /// The filter expression of the entries behind the slice; "other" has none.
        package let filter: String?
        /// Whether this is the sum of categories for which there was no space.
        package let isRest: Bool

        /// The value with its share, such as `2 (20 %)`.
        func text(_ write: (Double) -> String, isWhole: Bool) -> String {
            "\(write(value)) (\(share(isWhole: isWhole)))"
        }

        func share(isWhole: Bool) -> String {
            if tenths == 0, value > 0 { return "< 0.1 %" }
            return Numeral.fixed(Double(tenths) / 10, places: isWhole ? 0 : 1) + " %"
        }
    }

    /// Slices, "other" among them: as many as there are colours.
    package static let mostSlices = 10

    /// The slices, the largest first; "other" last.
    package let slices: [Slice]
    /// The unit of the values, at most 16 characters; may be empty.
    package let unit: String
    /// Sentences on categories without a slice.
    package private(set) var notes: [String]

    /// A pie of counts or sums; of more than `mostSlices` the smallest are put together.
    ///
    /// - Parameter notes: sentences on what is no part of the whole.
    /// - Throws: `negativeSlice`, as there is no such slice.
    package init(
        _ figures: [Figure], unit: String = "", notes more: [String] = []
    ) throws(ChartError) {
        for figure in figures {
            if let value = figure.value, value < 0 {
                throw .negativeSlice(label: figure.category.text, value: value)
            }
        }
        let single = figures.map { Figure($0.category, $0.value, filter: $0.filter) }
        let grid = try FigureGrid(
            single, order: .descending, mostRows: Self.mostSlices, mostSeries: 1, isAdditive: true)
        let rows = grid.rows.filter { $0.cells[0].value != nil }
        let tenths = Self.tenths(rows.map { $0.cells[0].value ?? 0 })
        slices = zip(rows, tenths).map { row, tenths in
            Slice(
                label: row.label, value: row.cells[0].value ?? 0, tenths: tenths,
                filter: row.cells[0].filter, isRest: row.isRest)
        }
        self.unit = CleanText.line(unit, most: 16)
        notes = grid.notes + more
        let zeros = slices.count { $0.value == 0 }
        if zeros > 0 { notes.append(Numeral.count(zeros, "category is 0", "categories are 0")) }
        if grid.rows.count > rows.count {
            let empty = grid.rows.count - rows.count
            notes.append(Numeral.count(empty, "category has", "categories have") + " no value")
        }
    }

    /// The way to write the values, of which each has to fit.
    func writer(fits: (String) -> Bool) -> (Double) -> String {
        Numeral.writer(for: slices.map(\.value), unit: unit, fits: fits)
    }

    /// True where all shares are whole percents, and tenths would say nothing.
    var isWhole: Bool { slices.allSatisfy { $0.tenths % 10 == 0 } }

    /// Shares in tenths of a percent, each rounded by itself: equal values have equal shares, also
    /// where those of all then do not add up to 1,000.
    static func tenths(_ values: [Double]) -> [Int] {
        guard let largest = values.max(), largest > 0 else { return values.map { _ in 0 } }
        let sum = values.reduce(0) { $0 + $1 / largest }
        return values.map { Int(($0 / largest / sum * 1000).rounded()) }
    }
}
