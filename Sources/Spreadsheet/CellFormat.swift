/// The way in which a number of a cell is meant; of the many formats, what changes its text.
enum CellFormat {
    case number, percent, date, time, dateTime

    /// The text of a number as people read it: whole numbers without `.0`, percentages with their
    /// sign, dates and times in ISO 8601; what is no number as it stands.
    func text(of written: String, from1904: Bool) -> String {
        guard written.utf8.allSatisfy({ (48...57).contains($0) || "+-.eE".utf8.contains($0) }),
            let value = Double(written), value.isFinite
        else { return written }
        switch self {
        case .number: return CellFormat.plain(value, written)
        case .percent:
            let hundredfold = CellFormat.hundredfold(value)
            return CellFormat.plain(hundredfold, hundredfold.description) + "%"
        case .date, .time, .dateTime:
            return CellFormat.moment(value, self, from1904) ?? CellFormat.plain(value, written)
        }
    }

    private static func plain(_ value: Double, _ written: String) -> String {
        guard value == value.rounded() else { return value.description }
        if abs(value) < 1e15 { return String(Int64(value)) }
        // More digits than a sheet computes with are those of the file.
        let isPlain = written.utf8.allSatisfy { (48...57).contains($0) || $0 == 45 }
        return isPlain ? written : abs(value) < 9e18 ? String(Int64(value)) : value.description
    }

    /// The number a hundred times as large by its digits: a product of 0.07 has others behind them.
    private static func hundredfold(_ value: Double) -> Double {
        let parts = value.description.split(separator: "e")
        let exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        return Double("\(parts[0])e\(exponent + 2)") ?? value * 100
    }

    /// A serial day as a date, a time, or both; nil outside of the years that have such days.
    private static func moment(_ value: Double, _ format: CellFormat, _ from1904: Bool) -> String? {
        guard value >= 0, value < 2_958_466 else { return nil }
        var seconds = Int((value * 86_400).rounded())
        let day = seconds / 86_400
        seconds %= 86_400
        let clock = [seconds / 3_600, seconds / 60 % 60, seconds % 60].map { pad($0, 2) }
            .joined(separator: ":")
        if format == .time, day == 0 { return clock }
        // Excel holds 1900 for a leap year, so its days before 1 March 1900 are one late.
        let days = from1904 ? day - 24_107 : day - (day < 60 ? 25_568 : 25_569)
        let date = date(days)
        return seconds == 0 ? date : "\(date)T\(clock)"
    }

    /// The date that many days after 1970-01-01 (the civil calendar by eras of 400 years).
    private static func date(_ days: Int) -> String {
        let shifted = days + 719_468
        let era = shifted / 146_097
        let ofEra = shifted % 146_097
        let year = (ofEra - ofEra / 1_460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * year + year / 4 - year / 100)
        let shiftedMonth = (5 * ofYear + 2) / 153
        let day = ofYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return "\(pad(year + era * 400 + (month <= 2 ? 1 : 0), 4))-\(pad(month, 2))-\(pad(day, 2))"
    }

    private static func pad(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }

    /// One of the formats that have numbers instead of codes (ECMA-376 part 1, 18.8.30).
    init(number: Int) {
        switch number {
        case 9, 10: self = .percent
        case 14...17, 27...31, 34...36, 50...58: self = .date
        case 18...21, 32, 33, 45...47: self = .time
        case 22: self = .dateTime
        default: self = .number
        }
    }

    /// A format by its code, of which the first section counts: letters of a date or a clock
    /// outside of quotes, escapes and brackets, or a percent sign there. A duration (`[h]:mm`)
    /// stays a number.
    init(code: String) {
        var letters: Set<UInt8> = []
        var hasPercent = false
        var bytes = Array(code.utf8)[...]
        scan: while let byte = bytes.popFirst() {
            switch byte {
            case UInt8(ascii: ";"): break scan
            case UInt8(ascii: "\""):
                while let next = bytes.popFirst(), next != byte {}
            case UInt8(ascii: "\\"), UInt8(ascii: "_"), UInt8(ascii: "*"): _ = bytes.popFirst()
            case UInt8(ascii: "["):
                if let unit = bytes.first, "hmsHMS".utf8.contains(unit) {
                    letters = []
                    break scan
                }
                while let next = bytes.popFirst(), next != UInt8(ascii: "]") {}
            case UInt8(ascii: "%"): hasPercent = true
            case 65...90, 97...122: letters.insert(byte | 0x20)
            default: break
            }
        }
        // Of "General" and of the number formats no letter but E is left.
        let hasClock = letters.contains(UInt8(ascii: "h")) || letters.contains(UInt8(ascii: "s"))
        let hasDay = letters.contains(UInt8(ascii: "y")) || letters.contains(UInt8(ascii: "d"))
        let hasMonth = letters.contains(UInt8(ascii: "m"))
        self =
            switch (hasDay || hasMonth && !hasClock, hasClock) {
            case (true, true): .dateTime
            case (true, false): .date
            case (false, true): .time
            case (false, false): hasPercent ? .percent : .number
            }
    }
}

/// The formats of a workbook's cells, by their index in `cellXfs`.
final class StyleList: XMLHandler {
    private(set) var formats: [CellFormat] = []
    private var codes: [Int: CellFormat] = [:]
    private var isInCells = false

    func start(_ name: String, _ attributes: XMLAttributes) throws(SpreadsheetError) {
        switch name {
        case "numFmt":
            if let id = attributes["numFmtId"].flatMap({ Int($0) }),
                let code = attributes["formatCode"], codes.count < SpreadsheetLimits.columns
            {
                codes[id] = CellFormat(code: code)
            }
        case "cellXfs": isInCells = true
        case "xf" where isInCells && formats.count < SpreadsheetLimits.cells:
            let id = attributes["numFmtId"].flatMap { Int($0) } ?? 0
            formats.append(codes[id] ?? CellFormat(number: id))
        default: break
        }
    }

    func end(_ name: String) { if name == "cellXfs" { isInCells = false } }
    func text(_ bytes: UnsafeBufferPointer<UInt8>) {}
}
