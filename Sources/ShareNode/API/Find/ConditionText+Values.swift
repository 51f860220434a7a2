import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats
import ShareStore

/// What stands after the sign: a value of the field, a part of a text, a device.
extension ConditionText {
    /// The number that texts are compared with, as forms do it: what spells no number is neither more
    /// nor less than one.
    func number(
        _ text: String, _ index: Int?, _ name: String, _ comparison: Comparison
    ) throws -> Double {
        if let number = FieldValue.number(spelledBy: NumberText.plain(text) ?? text) {
            return number
        }
        // The label of a choice whose name is a number.
        if let index, schema.form.stored[index].kind.isChoice,
            case .text(let choice)? = try? schema.parser.value(text, at: index),
            let number = FieldValue.number(spelledBy: choice)
        {
            return number
        }
        let day = DayRange(text, today: today).flatMap { CalendarText.text(ofDay: $0.start) }
        guard let day else { throw noOrder(name, comparison, "texts", text) }
        throw Problem(
            .wrongType, "\(name) holds texts: \(comparison.rawValue) compares numbers and dates",
            hint:
                "Where they are dates: \"date(${\(name)}) \(comparison.rawValue) date('\(day)')\".")
    }

    /// For what is neither more nor less than anything.
    func noOrder(
        _ name: String, _ comparison: Comparison, _ held: String, _ text: String
    ) -> Problem {
        Problem(
            .wrongType, "\(name) holds \(held): \(comparison.rawValue) compares numbers and dates",
            hint:
                "Write \(name)=\(text.prefix(40)), or \(name)~\(text.prefix(40)) for a part of it.")
    }

    func value(
        _ text: String, of subject: RecordQuery.Subject, _ index: Int?, _ name: String
    ) throws -> FieldValue {
        switch subject {
        case .id:
            guard let id = RecordID(text: text) else {
                throw Problem(
                    .badRequest, "_id wants the full id of an entry, not \"\(text.prefix(80))\"",
                    hint: "As `shared list FORM --json` shows it.")
            }
            return .text(id.text)
        case .state:
            if let state = ReviewState(typed: text) { return .text(state.rawValue) }
            if text == "withheld" { return .text(text) }
            let known = ReviewState.allCases.map(\.rawValue)
            throw Problem(
                .badRequest, "no review state \"\(text.prefix(80))\"",
                hint: Suggestion.hint(
                    for: text, among: known,
                    otherwise: "There are " + known.joined(separator: ", ")
                        + "; and _state= finds what nobody has reviewed."))
        case .valid:
            guard ["yes", "no"].contains(text) else {
                throw Problem(
                    .badRequest, "_valid is yes or no, not \"\(text.prefix(80))\"",
                    hint: "_valid=no finds entries that break their form.")
            }
            return .text(text)
        case .sent:
            guard ["yes", "no"].contains(text) else {
                throw Problem(
                    .badRequest, "_sent is yes or no, not \"\(text.prefix(80))\"",
                    hint: "_sent=no finds entries of which something was not sent yet.")
            }
            return .text(text)
        case .reviewed:
            guard ["yes", "no"].contains(text) else {
                throw Problem(
                    .badRequest, "_reviewed is yes or no, not \"\(text.prefix(80))\"",
                    hint: "_reviewed=no finds entries that nobody has reviewed since they were"
                        + " changed.")
            }
            return .text(text)
        case .author, .created, .updated, .warnings, .number, .clock: return .text(text)
        case .column(let column):
            guard let index else { return try gone(text, column) }
            do throws(ValueError) {
                return try schema.parser.value(text, at: index)
            } catch {
                // As people write them, `38,5`; and between whole numbers are others: age>17.5.
                let plain = NumberText.plain(text) ?? text
                if let value = try? schema.parser.value(plain, at: index),
                    type(of: column) == .integer || type(of: column) == .decimal
                {
                    return value
                }
                if type(of: column) == .integer, let number = Double(plain), number.isFinite {
                    return .decimal(number)
                }
                throw error
            }
        }
    }

    /// The value of a field that the form no longer has.
    private func gone(_ text: String, _ column: String) throws -> FieldValue {
        func wrong(_ wanted: String) -> Problem {
            Problem(.wrongType, "field \(column) wants \(wanted), not \"\(text.prefix(80))\"")
        }
        let plain = NumberText.plain(text) ?? text
        switch type(of: column) {
        case .integer:
            if let whole = Int64(plain) { return .integer(whole) }
            // Between whole numbers are others.
            guard let number = Double(plain), number.isFinite else { throw wrong("a whole number") }
            return .decimal(number)
        case .decimal:
            guard let number = Double(plain) else { throw wrong("a number") }
            return .decimal(number)
        default: return .text(text)
        }
    }

    /// `FIELD~TEXT`: the choice, or the part of a text.
    func contains(
        _ subject: RecordQuery.Subject, _ index: Int?, _ name: String, _ text: String
    ) async throws -> [Condition] {
        if case .column(let column) = subject, let type = type(of: column), type != .text {
            throw Problem(
                .wrongType, "\(name) is no text: ~ looks for a part of a text",
                hint: "Write \(name)=\(text.prefix(40)), or \(name)>…")
        }
        guard !text.isEmpty else {
            throw nothing(after: .contains, name, "Write some text.")
        }
        guard let index, schema.form.stored[index].kind.isChoice else {
            return [.contains(subject, text)]
        }
        return try await choices(containing: text, subject, index)
    }

    private static let shortestID = 4

    /// The ids of the devices that are called so, or of the one whose id begins so.
    func authors(_ text: String) throws -> [String] {
        let wanted = FoldedText.fold(text)
        let named = devices.filter { FoldedText.fold($0.value) == wanted }.keys.sorted()
        if !named.isEmpty { return named.map(\.text) }
        if let key = DeviceKey(text: text) { return [key.text] }
        // Fewer letters are a slip in a name, and begin some id.
        let isID = DeviceText.plain(text).utf8.count >= Self.shortestID
        let meant = isID ? devices.keys.filter { DeviceText.matches(text, $0) } : []
        if let key = meant.first, meant.count == 1, !text.isEmpty {
            return [key.text]
        }
        throw Problem(
            meant.isEmpty || text.isEmpty ? .notFoundMember : .ambiguousID,
            meant.isEmpty || text.isEmpty
                ? "no device of the room is called \"\(text.prefix(80))\""
                : "\(meant.count) devices of the room have an id that begins so: "
                    + "\"\(text.prefix(80))\"",
            hint: Suggestion.hint(
                for: text, among: devices.values.sorted(),
                otherwise: "See `shared members --all`; the first 8 characters of an id do."))
    }
}
