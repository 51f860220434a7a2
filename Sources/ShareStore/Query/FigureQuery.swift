package import ShareCore

/// Figures of the records of one form that are wanted, by up to two groupings.
package struct FigureQuery: Sendable {
    /// What puts records into groups.
    package enum Grouping: Hashable, Sendable {
        case value(RecordQuery.Subject)
        /// The days, weeks or months of a date, or of a point in time.
        case period(RecordQuery.Subject, Period)
        /// Each of several choices by itself: a record is in as many groups.
        case choices(RecordQuery.Subject)

        /// Whether it asks what the form has against records.
        package var readsFlags: Bool {
            switch self {
            case .value(let subject), .period(let subject, _), .choices(let subject):
                subject.isFlag
            }
        }
    }

    /// Weeks begin on Monday; a week or a month is named by its first day.
    package enum Period: String, Sendable, CaseIterable {
        case day, week, month
    }

    package var conditions: [RecordQuery.Condition]
    package var groupings: [Grouping]
    /// The number field whose values are put together; nil to count records alone.
    package var field: RecordQuery.Subject?
    /// What a mean is weighted by; nil for nothing.
    package var weight: RecordQuery.Subject?
    /// Whether the median of `field` is wanted as well.
    package var hasMedian: Bool
    /// Numbers of a group that are sorted in memory; more are sorted on the disk.
    var mostSorted = FigureQuery.mostSorted
    static let mostSorted = 2_000_000

    package init(
        where conditions: [RecordQuery.Condition] = [], by groupings: [Grouping] = [],
        of field: RecordQuery.Subject? = nil, weight: RecordQuery.Subject? = nil,
        hasMedian: Bool = false
    ) {
        self.conditions = conditions
        self.groupings = groupings
        self.field = field
        self.weight = weight
        self.hasMedian = hasMedian
    }
}

/// What the records of a group come to.
package struct FigureGroup: Hashable, Sendable {
    /// One for each grouping; `.absent` for records without a value.
    package var keys: [FieldValue]
    /// Records in the group.
    package var records: Int
    /// Those of them that have the number.
    package var n = 0
    package var sum = 0.0
    package var least: Double?
    package var greatest: Double?
    package var median: Double?
    /// What the numbers that have a weight come to; nil without weights.
    package var weighted: Weighted?

    package init(keys: [FieldValue], records: Int) {
        self.keys = keys
        self.records = records
    }

    package struct Weighted: Hashable, Sendable {
        /// Records that have both, the number and the weight.
        package var n: Int
        /// The sum of numbers times weights, and that of their weights.
        package var sum: Double
        package var weights: Double
    }

    /// Nil where there is no number, or no weight.
    package var mean: Double? {
        if let weighted { return weighted.weights == 0 ? nil : weighted.sum / weighted.weights }
        return n == 0 ? nil : sum / Double(n)
    }

    /// The two groups as one; a median of both is not known.
    mutating func add(_ other: FigureGroup) {
        records += other.records
        n += other.n
        sum += other.sum
        least = [least, other.least].compactMap { $0 }.min()
        greatest = [greatest, other.greatest].compactMap { $0 }.max()
        median = nil
        if let other = other.weighted {
            weighted = Weighted(
                n: (weighted?.n ?? 0) + other.n, sum: (weighted?.sum ?? 0) + other.sum,
                weights: (weighted?.weights ?? 0) + other.weights)
        }
    }
}

/// Grouped figures: the largest groups, and the others as one.
package struct Figures: Hashable, Sendable {
    /// The records that are wanted.
    package let records: Int
    /// By records, most first; those of periods in the order of time.
    package let groups: [FigureGroup]
    /// Groups that are left out.
    package let more: Int
    /// What these come to, without keys; nil where none is.
    package let rest: FigureGroup?
    /// Groups by the other groupings alone, where one is by several choices: in these each record
    /// is once. Nil where none is.
    package let whole: [FigureGroup]?

    init(
        records: Int, groups: [FigureGroup], more: Int, rest: FigureGroup?, whole: [FigureGroup]?
    ) {
        (self.records, self.groups, self.more) = (records, groups, more)
        (self.rest, self.whole) = (rest, whole)
    }

    /// Groups in each of which is what is in no other.
    package init(_ groups: [FigureGroup]) {
        self.init(
            records: groups.reduce(0) { $0 + $1.records }, groups: groups, more: 0, rest: nil,
            whole: nil)
    }

    /// The same with other groups.
    package func with(_ groups: [FigureGroup]) -> Figures {
        Figures(records: records, groups: groups, more: more, rest: rest, whole: whole)
    }
}

/// What the values of one field come to. Empty is empty: nil where there is no number.
package struct FieldStatistics: Hashable, Sendable {
    package let n: Int
    package let missing: Int
    /// Those of the missing whose value is no finite number, as a division by 0 leaves it.
    package let notFinite: Int
    package let distinct: Int
    package let sum: Double?
    package let mean: Double?
    /// As stored: of a field that is no number too, where it has an order.
    package let least: FieldValue
    package let greatest: FieldValue
    /// First quartile, median, third quartile; between two values in proportion, as spreadsheets
    /// and pandas do it.
    package let quartiles: [Double]?
}
