/// One number that a query gave, with the category and the series that it stands for.
package struct Figure: Hashable, Sendable {
    /// The bar, slice or step that the number is of.
    package var category: Label
    /// The series; `Label.only` where the chart has no more than one.
    package var series: Label
    /// The number; nil where there is none. A number that is not finite counts as none.
    package var value: Double?
    /// The filter expression of the entries behind the number, which a page follows.
    package var filter: String?

    /// Makes a figure; a `value` of nil is drawn as a gap or as "no value".
    package init(
        _ category: Label, _ value: Double?, series: Label = .only, filter: String? = nil
    ) {
        self.category = category
        self.series = series
        self.value = value
        self.filter = filter
    }
}

/// A category or a series: the value that makes it one, and the text that people see.
package struct Label: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The stored value; nil for entries without one. Two labels with one value are the same.
    package let value: String?
    /// One line without control characters, at most 200 characters.
    package let text: String
    /// Whether it stands for what was put together for lack of space.
    let isRest: Bool

    /// The label of entries that have no value.
    package static let missing = Label(value: nil, text: "(no answer)")
    /// The label of the one series of a chart that has no more.
    package static let only = Label(value: nil, text: "(all)")

    /// Makes a label of `text`, cleaned; text without signs shows as "(empty)" or "(blank)".
    package init(value: String?, text: String) {
        self.init(value: value, text: text, isRest: false)
    }

    private init(value: String?, text: String, isRest: Bool) {
        self.value = value
        self.isRest = isRest
        let clean = CleanText.line(text, most: 200)
        self.text = clean.isEmpty ? (text.isEmpty ? "(empty)" : "(blank)") : clean
    }

    /// Makes a label whose text is the stored value itself.
    package init(_ text: String) {
        self.init(value: text, text: text)
    }

    /// Makes a label whose text is the stored value itself.
    package init(stringLiteral text: String) {
        self.init(text)
    }

    /// The label of what was put together for lack of space.
    static func others(_ count: Int) -> Label {
        Label(
            value: nil, text: "other: \(Numeral.exact(Double(count))) more", isRest: true)
    }

    /// Labels are the same where their stored values are, whatever their texts.
    package static func == (one: Label, other: Label) -> Bool {
        one.value == other.value && (one.value != nil || one.text == other.text)
    }

    /// Hashes what `==` compares.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(value)
        if value == nil { hasher.combine(text) }
    }
}

/// The reason why figures make no chart of the kind asked for.
package enum ChartError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A slice has no size below zero.
    case negativeSlice(label: String, value: Double)
    /// Two figures of one category and series, which are no counts or sums, cannot be added.
    case repeated(category: String, series: String)

    /// The reason in a sentence, with what to do.
    package var description: String {
        switch self {
        case .negativeSlice(let label, let value):
            "a pie has no slice below zero, and \(label) is \(Numeral.value(value)): "
                + "take a bar chart"
        case .repeated(let category, let series):
            "\(category) has two figures in the series \(series)"
        }
    }
}

extension Double {
    /// The number if it can be drawn: finite, and small enough that differences stay finite.
    var drawable: Double? { isFinite && magnitude <= Bins.greatest ? self : nil }
}
