internal import ShareCore

/// Reads the values of one field.
// A class, as values of this size are costly to copy: a sixth of an import was spent on it.
final class ValueReader: Sendable {
    let field: Form.Field
    let storage: StorageType
    /// Whether any text is a value as it is.
    private let takesAnyText: Bool
    /// Whether texts lose white space at their ends.
    private let isKey: Bool
    private let index: ChoiceIndex?
    private let source: (any ChoiceSource)?
    /// Choices that were offered before.
    let retired: ChoiceIndex?
    /// Whether it says which choice may be meant, which is looked for among all of them.
    let givesHints: Bool
    /// In which faults are told: the first of these in which the form has a text.
    let languages: [String?]

    /// - Parameters:
    ///   - index: the field's list, where it lies in the form.
    ///   - source: where it may lie else.
    ///   - retired: choices that were offered before.
    ///   - isKey: whether the field is one of the form's key.
    ///   - languages: in which faults are told, the one that is wanted first.
    init(
        _ field: Form.Field, index: ChoiceIndex?, source: (any ChoiceSource)?,
        retired: ChoiceIndex? = nil, isKey: Bool = false, languages: [String?] = []
    ) {
        givesHints = true
        self.languages = languages
        self.isKey = isKey
        self.retired = retired
        self.field = field
        storage = field.kind.storage ?? .text
        self.index = field.kind.isChoice ? index : nil
        takesAnyText =
            storage == .text && !field.kind.isShaped
            && !field.kind.isChoice && !field.kind.isMedia
        self.source = field.kind.isChoice && index == nil && field.list != nil ? source : nil
    }

    /// The same that tells faults in other languages, or without a hint.
    init(_ other: ValueReader, in languages: [String?]? = nil, givesHints: Bool? = nil) {
        self.languages = languages ?? other.languages
        self.givesHints = givesHints ?? other.givesHints
        field = other.field
        storage = other.storage
        takesAnyText = other.takesAnyText
        isKey = other.isKey
        index = other.index
        source = other.source
        retired = other.retired
    }

    /// The field's list; nil where it has none, or none is here. It may be another one each time.
    var choices: (any ChoiceLookup)? { index ?? source?.choices(of: field) }

    /// - Parameter kept: names of choices that are not offered any more and may stay.
    func value(
        _ bytes: UnsafeBufferPointer<UInt8>, keeping kept: [String] = []
    ) throws(ValueError) -> FieldValue {
        if bytes.isEmpty { return .absent }
        if takesAnyText {
            let text = String(decoding: bytes, as: UTF8.self)
            guard isKey else { return .text(text) }
            let bare = ValueReader.trimmed(text)
            return bare.isEmpty ? .absent : .text(bare)
        }
        if storage == .text { return try text(bytes, keeping: kept) }
        let bytes = ValueReader.trimmed(bytes)
        if bytes.isEmpty { return .absent }
        switch storage {
        case .text: return try text(bytes, keeping: kept)
        case .integer:
            switch NumberText.integer(number(bytes)) {
            case .success(let value): return .integer(value)
            case .failure(let fault): throw wrongNumber(bytes, fault)
            }
        case .decimal:
            switch NumberText.decimal(number(bytes)) {
            case .success(let value): return .decimal(value)
            case .failure(let fault): throw wrongNumber(bytes, fault)
            }
        case .date:
            if CalendarText.isDate(bytes), MomentText.isSound(bytes) { break }
            return try moment(bytes, MomentText.yearFirst)
        case .time:
            if CalendarText.isTime(bytes) { break }
            return try moment(bytes, MomentText.time)
        case .dateTime:
            if CalendarText.isDateTime(bytes), MomentText.isSound(bytes) { break }
            return try moment(bytes, MomentText.dateTime)
        }
        return .text(String(decoding: bytes, as: UTF8.self))
    }

    /// A day or time that is not written as forms do.
    private func moment(
        _ bytes: UnsafeBufferPointer<UInt8>, _ read: (String) -> String?
    ) throws(ValueError) -> FieldValue {
        guard let found = read(String(decoding: bytes, as: UTF8.self)) else {
            throw wrongMoment(bytes)
        }
        return .text(found)
    }

    func wrongType(_ got: String, hint: String? = nil) -> ValueError {
        let label = field.label.text(among: languages)
        return .wrongType(
            field: field.name, label: label == field.name ? nil : label, wanted: wanted, got: got,
            hint: hint ?? example)
    }

    private func text(
        _ bytes: UnsafeBufferPointer<UInt8>, keeping kept: [String]
    ) throws(ValueError) -> FieldValue {
        if let shape = field.kind.shape {
            let typed = String(decoding: bytes, as: UTF8.self)
            if ValueReader.trimmed(typed).isEmpty { return .absent }
            let read = GeoText.stored(typed, as: shape)
            guard let text = read.text else { throw wrongType(typed, hint: read.hint) }
            return .text(text)
        }
        if field.kind == .acknowledge {
            let typed = ValueReader.trimmed(String(decoding: bytes, as: UTF8.self))
            if typed.isEmpty { return .absent }
            guard Self.agreed.contains(typed.lowercased()) else { throw wrongType(typed) }
            return .text("OK")
        }
        if field.kind.isMedia {
            let typed = String(decoding: bytes, as: UTF8.self)
            let name = isKey ? ValueReader.trimmed(typed) : typed
            guard MediaName.isName(name) else { throw wrongType(typed) }
            return name.isEmpty ? .absent : .text(name)
        }
        if field.kind.isSeveral { return try several(bytes, keeping: kept) }
        guard let choices else { return .text(String(decoding: bytes, as: UTF8.self)) }
        if let name = choices.name(exactly: bytes) { return .text(name) }
        let typed = String(decoding: ValueReader.trimmed(bytes), as: UTF8.self)
        if typed.isEmpty { return .absent }
        return .text(try choice(typed, of: choices, keeping: kept))
    }

    /// What says OK; whoever does not leaves it empty.
    private static let agreed: Set<String> = ["ok", "yes", "y", "true", "1"]

    /// Without the field's unit behind it: `70%`, `38.5 °C`.
    private func number(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        guard let last = bytes.last, !(48...57).contains(last), let unit = field.unit?.utf8,
            bytes.count > unit.count, bytes.suffix(unit.count).elementsEqual(unit)
        else { return bytes }
        return ValueReader.trimmed(UnsafeBufferPointer(rebasing: bytes.dropLast(unit.count)))
    }

    static func trimmed(_ text: String) -> String {
        let start = text.drop { $0.isWhitespace }
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...end])
    }

    /// Without spaces and tabs at both ends.
    static func trimmed(
        _ bytes: UnsafeBufferPointer<UInt8>
    ) -> UnsafeBufferPointer<UInt8> {
        var range = bytes.indices
        while let first = range.first, isSpace(bytes[first]) { range.removeFirst() }
        while let last = range.last, isSpace(bytes[last]) { range.removeLast() }
        return UnsafeBufferPointer(rebasing: bytes[range])
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}

extension Form.Field {
    /// Whether a text that is stored is a value that this field itself takes: a place on the earth, an
    /// agreement, a number within its range. Of choices that is not asked.
    package func takes(_ text: String) -> Bool {
        guard !kind.isChoice else { return true }
        if kind == .range, let number = Double(text), !range.contains(number) { return false }
        guard kind.isShaped else { return true }
        var text = text
        return text.withUTF8 { utf8 in
            (try? ValueReader(self, index: nil, source: nil).value(utf8)) != nil
        }
    }
}

extension ValueReader {
    /// The kind of value that the field wants, with its article.
    var wanted: String {
        switch storage {
        case .text where field.kind == .acknowledge: "OK"
        case .text where field.kind.isMedia: "the name of a file"
        case .text:
            field.kind.isChoice ? "a choice" : field.kind.shape == nil ? "a text" : "a place"
        case .integer: field.isPercent ? "a whole number of percent" : "a whole number"
        case .decimal: field.isPercent ? "a number of percent" : "a number"
        case .date: "a date"
        case .time: "a time"
        case .dateTime: "a date and time"
        }
    }

    /// An example of how to write it.
    var example: String {
        switch storage {
        case .text where field.kind == .acknowledge: "Leave it empty where it was not agreed to."
        case .text where field.kind.isMedia: MediaName.hint
        case .text: "Write it as text."
        case .integer: field.isPercent ? "For instance 70%." : "For instance 42."
        case .decimal: field.isPercent ? "For instance 62.5%." : "For instance 36.8."
        case .date: "Write year-month-day, for instance 2026-11-21."
        case .time: "For instance 14:30 or 14:30:05."
        case .dateTime: "For instance 2026-11-21T14:30."
        }
    }

    func wrongNumber(
        _ bytes: UnsafeBufferPointer<UInt8>, _ fault: NumberText.Fault
    ) -> ValueError {
        let typed = String(decoding: bytes, as: UTF8.self)
        if fault == .outOfRange { return wrongType(typed, hint: "The number is too large.") }
        return wrongType(typed, hint: numberHint(typed))
    }

    func wrongMoment(_ bytes: UnsafeBufferPointer<UInt8>) -> ValueError {
        let typed = String(decoding: bytes, as: UTF8.self)
        return wrongType(typed, hint: momentHint(typed))
    }

    private func momentHint(_ typed: String) -> String {
        if storage == .time {
            let hasShape = typed.utf8.first.map { (48...57).contains($0) } ?? false
            return typed.contains(":") && hasShape ? "There is no such time. \(example)" : example
        }
        let mark = typed.firstIndex { $0 == " " || $0 == "T" } ?? typed.endIndex
        let day = storage == .dateTime ? String(typed[..<mark]) : typed
        let days = MomentText.days(day)
        if days.count > 1 {
            return "It may be \(days.joined(separator: " or ")): write it in that order."
        }
        if CalendarText.isDate(Array(day.utf8)), day.utf8.first == UInt8(ascii: "0") {
            return "Years before \(MomentText.firstYear) are not taken. \(example)"
        }
        if storage == .dateTime, let first = days.first {
            if mark == typed.endIndex { return "The time is missing. \(example)" }
            return MomentText.dateTime(typed, day: { _ in first }).map { "Write it so: \($0)." }
                ?? "There is no such time. \(example)"
        }
        if CalendarText.looksWritten(day.utf8) || CSVHabits.looksLikeDay(day) && days.isEmpty {
            return "There is no such day. \(example)"
        }
        return example
    }

    private func numberHint(_ typed: String) -> String {
        if typed.utf8.last == UInt8(ascii: "%"), !field.isPercent {
            return "This field is not in percent; write the number alone."
        }
        if storage == .integer, let whole = wholePart(typed) {
            // A separator of thousands, or decimals?
            return typed.hasSuffix(".000") && whole != "0"
                ? "Write \(whole) or \(whole)000, without a point."
                : "Write \(whole), without decimals."
        }
        if typed.utf8.contains(UInt8(ascii: ",")) {
            let parts = typed.split(separator: ",", omittingEmptySubsequences: false)
            if storage == .decimal, parts.count == 2, parts[1].count == 3,
                typed.utf8.allSatisfy({ (48...57).contains($0) || ",+-".utf8.contains($0) })
            {
                return
                    "It may be \(parts.joined(separator: ".")) or \(parts.joined()): write it so."
            }
            if storage == .decimal {
                return "The decimal sign is a point, and thousands are not separated: 1234.5."
            }
            return separatesThousands(typed)
                ? "Write the digits alone, without separators."
                : "A whole number has no decimals, and no separators."
        }
        let lowered = typed.lowercased()
        if Self.unknownWords.contains(lowered) {
            return "Where nothing is known leave it empty."
        }
        if ["inf", "+inf", "-inf", "infinity", "-infinity"].contains(lowered) {
            return "Only finite numbers can be stored."
        }
        return example
    }

    /// What people write where nothing is known, in small letters.
    static let unknownWords: Set<String> = [
        "na", "n/a", "#n/a", "nan", "null", "none", "nil", "-", "--", "?", "unknown",
    ]

    /// Whether each comma is followed by three digits, so that none can be a decimal sign: to
    /// leave the comma out of `70,5` would make 705 of it.
    private func separatesThousands(_ typed: String) -> Bool {
        let groups: [Substring] = typed.split(separator: ",", omittingEmptySubsequences: false)
        return groups.dropFirst().allSatisfy { $0.prefix { $0.isNumber }.count == 3 }
    }

    /// The digits before the point of something like `5.0`; nil for anything else.
    private func wholePart(_ typed: String) -> String? {
        let parts = typed.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, Int64(parts[0]) != nil, parts[1].utf8.allSatisfy({ $0 == 48 })
        else { return nil }
        return String(parts[0])
    }
}

extension CalendarText {
    /// Whether `text` has the shape of a date, whatever its digits.
    static func looksWritten(_ text: some Collection<UInt8>) -> Bool {
        text.count == 10
            && text.enumerated().allSatisfy { index, byte in
                index == 4 || index == 7
                    ? byte == UInt8(ascii: "-") : (48...57).contains(byte)
            }
    }
}
