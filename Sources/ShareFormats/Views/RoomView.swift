/// A named look at a room's entries, which its editors have written down for everybody
/// (docs/analysis.md, "Views").
package struct RoomView: Hashable, Sendable {
    /// How a view is shown, and what only that kind needs.
    package enum Kind: Hashable, Sendable {
        /// One number.
        case figure(Figure)
        /// One number beside the one that is aimed at.
        case target(Figure, goal: Double)
        /// A chart; `style` is pie, bar, line, histogram or points.
        case chart(style: String, Figure, period: String?, along: String?)
        /// Rows; `columns` empty means all.
        case table(columns: [String], sort: [String], limit: Int?)
        /// A place to search in, its hits put together by `group`.
        case search(group: String?)
    }

    /// A number out of many entries.
    package struct Figure: Hashable, Sendable {
        /// count, sum, mean, min, max or median.
        package let aggregate: String
        /// The field that is added up; nil where entries are counted.
        package let field: String?
        /// The field that weighs a mean.
        package let weight: String?
        /// The field with one figure for each of its values.
        package let by: String?
        /// Digits after the point, 0 to 6.
        package let decimals: Int?
    }

    /// How people call it: letters, digits, `-` and `_`.
    package let name: String
    package let title: LocalizedText
    /// The form, or `FORM/REPEAT`; nil for a search in all.
    package let form: String?
    /// An expression that entries have to fulfil, word for word.
    package let condition: String?
    package let kind: Kind
}

extension RoomView.Kind {
    /// The word for it in the file.
    package var name: String {
        switch self {
        case .figure: "figure"
        case .target: "target"
        case .chart: "chart"
        case .table: "table"
        case .search: "search"
        }
    }
}
