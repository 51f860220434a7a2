package import JSON

/// Why a form cannot be added: what, where in the form, and what to do; the first fault of the form,
/// with the others.
package struct FormError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Stable names, for scripts.
    package enum Code: String, Hashable, Sendable {
        case badJSON = "bad_json"
        case badShape = "bad_shape"
        case badFormID = "bad_form_id"
        case badVersion = "bad_version"
        case badFieldName = "bad_field_name"
        case duplicateField = "duplicate_field"
        case noFields = "no_fields"
        case tooMany = "too_many"
        case missingList = "missing_list"
        case badList = "bad_list"
        case unknownKeyField = "unknown_key_field"
    }

    package let code: Code
    /// For instance `fields[3] "temp"`; empty for the form as a whole.
    package let place: String
    package let detail: String
    package let hint: String
    /// The member of the field that is wrong, such as `type` or `x.min`, where it is one.
    package let member: String?
    /// The way to the faulty part from the root of the text.
    package private(set) var path = JSONPath()
    /// Where in the text that is, from 1 and in bytes, where it is known.
    package private(set) var line: Int?
    package private(set) var column: Int?
    /// What else is wrong with the same form, in the order of its text.
    package private(set) var others: [FormError] = []

    init(
        _ code: Code, at place: String = "", _ detail: String, hint: String, member: String? = nil
    ) {
        self.code = code
        self.place = place
        self.detail = detail
        self.hint = hint
        self.member = member
    }

    /// The same at a place in a text that cannot be read any further.
    func located(line: Int, column: Int) -> FormError {
        var located = self
        (located.line, located.column) = (line, column)
        return located
    }

    /// The same at a place in the text, where none is known.
    func located(_ path: JSONPath, in text: [UInt8]) -> FormError {
        guard line == nil else { return self }
        var located = self
        let place = path.place(in: text)
        (located.path, located.line, located.column) = (path, place?.line, place?.column)
        return located
    }

    /// All faults of a form as one.
    ///
    /// - Parameter faults: at least one.
    static func all(_ faults: [FormError]) -> FormError {
        let sorted = faults.sorted {
            ($0.line ?? 0, $0.column ?? 0) < ($1.line ?? 0, $1.column ?? 0)
        }
        var first = sorted[0]
        first.others = Array(sorted.dropFirst())
        return first
    }

    /// Place and detail in one line, without the hint. What is no JSON has no place but its line.
    package var description: String {
        if code == .badJSON, let line, let column {
            return "line \(line), column \(column): \(detail)"
        }
        return place.isEmpty ? detail : "\(place): \(detail)"
    }

    /// The same with line and column in front, where they are known.
    package var located: String {
        guard let line, let column, code != .badJSON else { return description }
        return "line \(line), column \(column): \(description)"
    }
}

/// Something in a form that is kept but does not act (yet), told to who adds the form.
package struct FormWarning: Hashable, Sendable, CustomStringConvertible {
    /// The field or list concerned; nil for the form as a whole.
    package let subject: String?
    package let text: String
    /// Where that is, for who writes the form.
    var place: TextPosition?

    /// In the text of the form, from 1 and in bytes.
    struct TextPosition: Hashable, Sendable {
        let line: Int
        let column: Int
    }

    package var description: String {
        let told = subject.map { "\($0): \(text)" } ?? text
        return place.map { "line \($0.line), column \($0.column): \(told)" } ?? told
    }
}

/// Collects warnings up to the limit and counts the rest.
struct FormWarnings {
    private var kept: [FormWarning] = []
    private var count = 0

    mutating func add(
        _ subject: String?, _ text: String,
        _ place: @autoclosure () -> (line: Int, column: Int)? = nil
    ) {
        count += 1
        guard kept.count < FormLimits.warnings else { return }
        let place = place().map { FormWarning.TextPosition(line: $0.line, column: $0.column) }
        kept.append(FormWarning(subject: subject, text: text, place: place))
    }

    var all: [FormWarning] {
        guard count > kept.count else { return kept }
        return kept + [FormWarning(subject: nil, text: "and \(count - kept.count) more")]
    }
}
