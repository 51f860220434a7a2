internal import ShareCore

/// One way in which an import may read the cells of a column.
struct CellReading: Hashable {
    let kind: FieldKind
    var dates: CSVHabits.DateOrder?
    var hasComma = false

    /// The way in which a file is read.
    struct Habits {
        var dates: CSVHabits.DateOrder?
        var hasComma: Bool
    }

    /// The kinds of values that are looked for, the narrowest first.
    static let kinds: [FieldKind] = [.integer, .decimal, .date, .time, .dateTime]

    static let all: Set<CellReading> = Set(
        kinds.flatMap { kind -> [CellReading] in
            switch kind {
            case .integer, .decimal:
                [CellReading(kind: kind), CellReading(kind: kind, hasComma: true)]
            case .date, .dateTime:
                [nil, .dmy, .mdy, .ymd].map { CellReading(kind: kind, dates: $0) }
            default: [CellReading(kind: kind)]
            }
        })

    init(kind: FieldKind, dates: CSVHabits.DateOrder? = nil, hasComma: Bool = false) {
        self.kind = kind
        self.dates = dates
        self.hasComma = hasComma
    }

    /// The reading of a kind in a file of these habits.
    init(_ kind: FieldKind, _ habits: Habits) {
        let isNumber = kind == .integer || kind == .decimal
        self.init(
            kind: kind, dates: isNumber || kind == .time ? nil : habits.dates,
            hasComma: isNumber && habits.hasComma)
    }

    /// Whether the file has to be said to be so.
    var isPlain: Bool { dates == nil && !hasComma }

    /// Reads cells as an import does.
    struct Reader {
        /// Of a form with a field of each kind, in the order of `kinds`.
        private let parser: ValueParser?

        init() {
            let fields = CellReading.kinds.map { kind in
                #"{"name":"\#(kind.name)","type":"\#(kind.name)"}"#
            }
            let form = #"{"form_id":"cells","fields":[\#(fields.joined(separator: ","))]}"#
            parser = (try? Form(json: Array(form.utf8))).map { ValueParser($0) }
        }

        func reads(_ cell: String, _ reading: CellReading) -> Bool {
            guard let parser, let place = CellReading.kinds.firstIndex(of: reading.kind) else {
                return false
            }
            var habits = CSVHabits()
            habits.dates = reading.dates
            habits.hasDecimalComma = reading.hasComma
            var cell = cell
            func parses(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
                (try? parser.value(utf8: bytes, at: place)) != nil
            }
            return cell.withUTF8 { bytes in
                if let rewritten = habits.rewritten(bytes, as: reading.kind.storage) {
                    return rewritten.withUnsafeBufferPointer(parses)
                }
                // In a file with decimal commas a point separates thousands.
                return !(reading.hasComma && bytes.contains(UInt8(ascii: "."))) && parses(bytes)
            }
        }
    }
}
