/// Why a form cannot be added: what, where in the form, and what to do.
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
        case unsupported = "unsupported"
    }

    package let code: Code
    /// For instance `fields[3] "temp"`; empty for the form as a whole.
    package let place: String
    package let detail: String
    package let hint: String

    init(_ code: Code, at place: String = "", _ detail: String, hint: String) {
        self.code = code
        self.place = place
        self.detail = detail
        self.hint = hint
    }

    /// Place and detail in one line, without the hint.
    package var description: String { place.isEmpty ? detail : "\(place): \(detail)" }
}
