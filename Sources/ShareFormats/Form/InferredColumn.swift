internal import ShareCore

/// The properties that a column's cells have in common.
struct InferredColumn {
    let title: String
    private(set) var blank = 0
    private var filled = 0
    /// The ways in which all of its cells can be read, but for those that say that nothing is known.
    private var possible = CellReading.all
    private var percents = 0
    private var longest = 0
    /// Cells of digits that are no number: ids, phone numbers.
    private var writtenOut = 0
    /// Cells with a comma that can only be a decimal sign.
    private var commas = 0
    private(set) var hasCommas = false
    /// Whether there are whole numbers that a double does not have: they are ids.
    private(set) var hasLongNumbers = false
    /// Cells that say that nothing is known, and the first of them.
    private var unknown = 0
    private var unknownWord = ""
    /// Different values, up to a bound; and how often each stands there.
    private var values: [String: Int] = [:]
    private var order: [String] = []
    private var isUnique = true
    private var seen: Set<[UInt8]> = []

    static let mostChoices = 20
    static let longestChoice = 60

    private static let yesAndNo = [
        ("yes", "no"), ("y", "n"), ("true", "false"), ("ja", "nein"), ("oui", "non"), ("o", "n"),
        ("s\u{ED}", "no"), ("si", "no"), ("sim", "n\u{E3}o"), ("sim", "nao"),
    ]

    init(title: String) { self.title = title }

    /// Columns that an export has beside the fields.
    var isSystem: Bool { title.hasPrefix("_") || title == "KEY" || title == "PARENT_KEY" }

    mutating func take(_ cell: String, _ cells: CellReading.Reader) {
        guard !cell.isEmpty else {
            blank += 1
            return
        }
        filled += 1
        longest = max(longest, cell.utf8.count)
        if isUnique { isUnique = seen.insert(Array(cell.utf8)).inserted }
        if !isUnique { seen = [] }
        if values.count <= Self.mostChoices {
            if values[cell] == nil { order.append(cell) }
            values[cell, default: 0] += 1
        }
        if ValueReader.unknownWords.contains(cell.lowercased()) {
            unknown += 1
            if unknown == 1 { unknownWord = cell }
            return
        }
        let number = cell.hasSuffix("%") ? String(cell.dropLast()) : cell
        if number != cell { percents += 1 }
        if Self.isWrittenOut(number) { writtenOut += 1 }
        if number.contains(",") { hasCommas = true }
        if number.contains(","), NumberText.plain(number) != nil { commas += 1 }
        if Self.isLong(number) { hasLongNumbers = true }
        let lost = possible.filter { reading in
            let isNumber = reading.kind == .integer || reading.kind == .decimal
            return !cells.reads(isNumber ? number : cell, reading)
        }
        if !lost.isEmpty { possible.subtract(lost) }
    }

    /// Whether digits are an id or a phone number: a zero or a plus in front belongs to them, and so do
    /// spaces that separate no thousands.
    private static func isWrittenOut(_ cell: String) -> Bool {
        let digits = cell.hasPrefix("-") ? cell.dropFirst() : cell[...]
        let bare = digits.hasPrefix("+") ? digits.dropFirst() : digits
        let groups = bare.split(omittingEmptySubsequences: false) { " \u{A0}\u{202F}".contains($0) }
        guard groups.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }),
            let first = groups.first, !first.isEmpty
        else { return false }
        if digits.hasPrefix("+") { return true }
        if first.hasPrefix("0"), bare.count > 1 { return true }
        return first.count > 3 && groups.count > 1 || groups.dropFirst().contains { $0.count != 3 }
    }

    /// Whether it is a whole number beyond 2^53.
    private static func isLong(_ number: String) -> Bool {
        let digits = number.hasPrefix("-") ? number.dropFirst() : number[...]
        guard digits.utf8.count >= 16, digits.utf8.allSatisfy({ (48...57).contains($0) }) else {
            return false
        }
        return Int64(digits).map { $0 > 1 << 53 } ?? true
    }

    private var isTyped: Bool {
        filled > unknown && writtenOut == 0 && !hasLongNumbers
            && (percents == 0 || percents == filled - unknown)
    }

    /// Its kind without the cells that say that nothing is known.
    private func typeOfKnown(_ habits: CellReading.Habits) -> FieldKind {
        guard isTyped else { return .text }
        return CellReading.kinds.first { possible.contains(CellReading($0, habits)) } ?? .text
    }

    func type(_ habits: CellReading.Habits) -> FieldKind {
        unknown == 0 ? typeOfKnown(habits) : .text
    }

    private var isPlain: Bool { !isTyped || possible.contains(where: \.isPlain) }

    /// Whether its numbers have decimal commas, without any doubt or as far as is known.
    var needsComma: Bool { mayNeedComma && commas > 0 }
    var mayNeedComma: Bool { !isPlain && possible.contains(where: \.hasComma) }

    /// Whether its days can be read in one order alone.
    func needs(_ order: CSVHabits.DateOrder) -> Bool {
        !isPlain && Set(possible.compactMap(\.dates)) == [order]
    }

    /// Whether its days can be read in several orders.
    var needsOrder: Bool { !isPlain && Set(possible.compactMap(\.dates)).count > 1 }

    var isPercent: Bool { unknown == 0 && filled > 0 && percents == filled }

    /// The words of the file for yes and no; nil where it has others.
    var yesAndNo: (yes: String, no: String)? {
        guard filled > 1, values.count <= Self.mostChoices else { return nil }
        let words = Set(order.map { $0.lowercased() })
        guard words.count <= 2,
            let pair = Self.yesAndNo.first(where: { words.isSubset(of: [$0.0, $0.1]) })
        else { return nil }
        func written(_ word: String) -> String {
            if let found = order.first(where: { $0.lowercased() == word }) { return found }
            let isUpper = order.first?.first?.isUppercase ?? false
            return isUpper ? word.prefix(1).uppercased() + word.dropFirst() : word
        }
        return (written(pair.0), written(pair.1))
    }

    /// Few texts that come again and again.
    func choices(_ habits: CellReading.Habits) -> [String]? {
        guard typeOfKnown(habits) == .text, values.count >= 2, values.count <= Self.mostChoices,
            filled >= 3 * values.count, longest <= Self.longestChoice,
            // No name of a choice has a line break in it.
            !order.contains(where: FormNames.hasControl)
        else { return nil }
        return order
    }

    /// What cells that say that nothing is known have cost; nil where there are none.
    func unknown(_ habits: CellReading.Habits) -> String? {
        guard unknown > 0 else { return nil }
        let cells = unknown == 1 ? "1 cell says" : "\(unknown) cells say"
        let kind = typeOfKnown(habits)
        if kind != .text {
            return "text, as \(cells) \(unknownWord); with these empty it would be \(kind.name)"
        }
        return choices(habits) == nil
            ? nil : "\(unknownWord) is one of the choices; where nothing is known leave cells empty"
    }

    /// Whether each row has a value of its own.
    func tells(rows: Int) -> Bool { rows > 1 && blank == 0 && isUnique && !isLong }

    /// Whether it has a value that is longer than people type as a key.
    var isLong: Bool { longest > 60 }
}
