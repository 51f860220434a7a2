internal import ShareCore

/// How a file writes dates and numbers, and what it calls its columns, where that is not how forms
/// do.
package struct CSVHabits: Hashable, Sendable {
    /// The order of day, month and year.
    package enum DateOrder: String, CaseIterable, Sendable { case dmy, mdy, ymd }

    package var dates: DateOrder?
    /// Whether `38,2` is a number; a point then separates thousands.
    package var hasDecimalComma = false
    /// The field, by name or label, for each column that the form calls otherwise.
    package var fields: [String: String] = [:]

    package init() {}

    /// True for a text with the three numbers of a day, whatever their order: `31.11.2026`.
    static func looksLikeDay(_ text: String) -> Bool {
        let parts = text.split(omittingEmptySubsequences: false) { "/.-".contains($0) }
        let isNumeric = parts.allSatisfy { part in
            !part.isEmpty && part.utf8.allSatisfy { (48...57).contains($0) }
        }
        let lengths = parts.map(\.utf8.count)
        return isNumeric && lengths.count == 3 && lengths[1] <= 2
            && lengths.contains(4) && (lengths[0] <= 2 || lengths[2] <= 2)
    }

    /// Whether any cell may have to be rewritten.
    var areUnusual: Bool { dates != nil || hasDecimalComma }

    /// A cell as forms write it; nil where it is so already, or cannot be read this way.
    func rewritten(
        _ cell: UnsafeBufferPointer<UInt8>, as storage: StorageType?
    ) -> [UInt8]? {
        switch storage {
        case .date, .dateTime:
            return dates.flatMap { date(String(decoding: cell, as: UTF8.self), $0) }
        case .integer, .decimal:
            guard hasDecimalComma, Self.mayBeOther(cell) else { return nil }
            return number(String(decoding: cell, as: UTF8.self))
        case .text, .time, nil: return nil
        }
    }

    /// Why a cell may have been refused that this would read; nil for any other reason.
    func hint(_ text: String, as storage: StorageType?) -> String? {
        switch storage {
        case .date, .dateTime:
            let read = DateOrder.allCases.filter {
                $0 != dates && $0 != .ymd && date(text, $0) != nil
            }
            guard !read.isEmpty else { return nil }
            if let dates {
                return "Is --dates \(dates.rawValue) the file's order? This one is a day with"
                    + " --dates \(read[0].rawValue)."
            }
            return read.count > 1
                ? "Where the file has the day first: --dates dmy; the month: --dates mdy."
                : "Read the file's dates so: --dates \(read[0].rawValue)."
        case .decimal:
            guard !hasDecimalComma, text.contains(","), number(text) != nil else {
                return nil
            }
            let parts = text.split(separator: ",")
            let both = "\(parts.joined(separator: ".")) or \(parts.joined())"
            return HabitGuess.isOpen(text)
                ? "It may be \(both): write it so; or, where the file has decimal commas: --decimal ,"
                : "Where the file has decimal commas: --decimal ,"
        case .integer, .text, .time, nil: return nil
        }
    }

    // MARK: Dates

    /// A day in an order, or a spreadsheet's number of a day; what follows after a space stays as it
    /// is.
    private func date(_ text: String, _ order: DateOrder) -> [UInt8]? {
        let parts = text.split(separator: " ", maxSplits: 1)
        guard let first = parts.first else { return nil }
        let rest = parts.count > 1 ? "T\(parts[1])" : ""
        if first.utf8.count == 5, let serial = Int(first) {
            return Array((Self.day(ofSpreadsheet: serial) + rest).utf8)
        }
        return MomentText.day(String(first), order).map { Array(($0 + rest).utf8) }
    }

    /// The day of a spreadsheet's number, which counts from 1899-12-30.
    private static func day(ofSpreadsheet serial: Int) -> String {
        let (year, month, day) = CalendarText.date(ofDay: Int64(serial) - 25_569)
        // Five digits are of the years 1899 to 2173.
        return "\(year)-\(MomentText.two(Int(month)))-\(MomentText.two(Int(day)))"
    }

    // MARK: Numbers

    /// With a decimal point, and without what separates thousands (a point, a space, also one that
    /// does not break), which three digits follow; what is behind the number stays. Nil for what is
    /// written so already, and for what is no number in this way.
    private func number(_ text: String) -> [UInt8]? {
        let text = ValueReader.trimmed(text)
        let sign = text.hasPrefix("-") || text.hasPrefix("+") ? text.prefix(1) : ""
        let isPart = { (one: Character) in
            one.isWholeNumber || one == "." || one == "," || NumberText.spaces.contains(one)
        }
        var body = text.dropFirst(sign.count).prefix(while: isPart)
        while let last = body.last, NumberText.spaces.contains(last) { body.removeLast() }
        let unit = text[body.endIndex...].drop { NumberText.spaces.contains($0) }
        let parts = body.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count <= 2, let whole = parts.first.flatMap(NumberText.whole),
            parts.dropFirst().joined().utf8.allSatisfy({ (48...57).contains($0) }),
            body.contains(where: { !$0.isWholeNumber })
        else { return nil }
        let decimals = parts.count > 1 ? ".\(parts[1])" : ""
        return Array("\(sign)\(whole)\(decimals)\(unit)".utf8)
    }

    /// Whether a cell has anything that a file with decimal commas writes otherwise than forms do:
    /// most have not, and cost nothing.
    private static func mayBeOther(_ cell: UnsafeBufferPointer<UInt8>) -> Bool {
        cell.contains { $0 >= 0x80 || $0 == 0x20 || $0 == 0x27 || $0 == 0x2C || $0 == 0x2E }
    }
}
