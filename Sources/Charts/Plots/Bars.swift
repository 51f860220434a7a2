/// Lengths side by side: one for each category, or one for each category and series.
package struct Bars: Hashable, Sendable {
    /// The way in which several series share a category.
    package enum Arrangement: Hashable, Sendable {
        /// The series of a category in one bar, for parts of a sum.
        case stacked
        /// The series of a category beside one another.
        case grouped
    }

    /// Categories, "other" among them.
    package static let mostRows = 30
    /// Days or months in a row: a year of days.
    package static let mostInSequence = 366
    /// Series, "other" among them.
    package static let mostSeries = 8

    /// The figures, as many as there is space for.
    package let grid: FigureGrid
    /// Stacked only where that was asked for and all figures are parts of sums.
    package let arrangement: Arrangement
    /// Sequences stand side by side, all others lie below one another.
    package let order: FigureGrid.Order
    /// The axis along which bars have their length; zero belongs to it.
    package let axis: Axis

    /// - Parameters:
    ///   - isAdditive: whether figures are counts or sums, so that "other" can be their sum and
    ///     series can be stacked.
    /// - Throws: `repeated`, where figures that cannot be added have the same place.
    package init(
        _ figures: [Figure], order: FigureGrid.Order = .descending, isAdditive: Bool = true,
        arrangement: Arrangement = .stacked, unit: String = "", title: String = ""
    ) throws(ChartError) {
        grid = try FigureGrid(
            figures, order: order,
            mostRows: order == .sequence ? Self.mostInSequence : Self.mostRows,
            mostSeries: Self.mostSeries, isAdditive: isAdditive)
        self.order = order
        let values = grid.rows.flatMap { $0.cells.compactMap(\.value) }
        let canStack = isAdditive && grid.series.count > 1 && values.allSatisfy { $0 >= 0 }
        self.arrangement = canStack ? arrangement : .grouped
        let ends = self.arrangement == .stacked ? grid.rows.map(\.sum) : values
        axis = Axis(
            .around(
                ends.min(), ends.max(), fromZero: true,
                isWhole: values.allSatisfy { $0 == $0.rounded() }), title: title, unit: unit)
    }

    /// The words of a cell for a pointer that rests on it, or for who hears it.
    func text(_ row: FigureGrid.Row, _ index: Int) -> String {
        let series = grid.series.count > 1 ? ", \(grid.series[index].text)" : ""
        return "\(row.label.text)\(series): \(text(row.cells[index].value))"
    }

    /// The way to write the numbers at the ends of bars, of which each has to fit.
    func writer(fits: (String) -> Bool) -> (Double) -> String {
        let values = grid.rows.flatMap { row in
            arrangement == .stacked ? [row.sum] : row.cells.compactMap(\.value)
        }
        return Numeral.writer(for: values, unit: axis.unit, fits: fits)
    }

    /// The numbers at the ends of a row's bars: one for each, or their sum.
    func ends(
        _ row: FigureGrid.Row, _ write: (Double) -> String
    ) -> [(value: Double, text: String)] {
        if arrangement == .stacked { return [(row.sum, write(row.sum))] }
        return row.cells.map { ($0.value ?? 0, $0.value.map(write) ?? "no value") }
    }

    func text(_ value: Double?) -> String {
        value.map { Numeral.value($0, unit: axis.unit) } ?? "no value"
    }
}
