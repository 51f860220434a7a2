/// Why a value cannot be taken: for one field, with what was typed and what to do.
package enum ValueError: Error, Hashable, Sendable, CustomStringConvertible {
    /// `wanted` with its article, for instance "a whole number"; `label` where it says more than
    /// the name.
    case wrongType(field: String, label: String?, wanted: String, got: String, hint: String)
    case notAChoice(field: String, got: String, hint: String)
    case severalChoices(field: String, got: String, SeveralChoices)
    /// A choice of an earlier version, by its label.
    case retired(field: String, choice: String, hint: String)
    case tooManyChoices(field: String)
    case required(field: String)
    case unknownField(name: String, form: String, hint: String)
    /// Shown, and never stored.
    case notStored(field: String)
    /// One value, or (without a field) all values of an entry together.
    case tooLong(field: String?, bytes: Int, limit: Int)

    /// A stable name, for scripts.
    package var code: String {
        switch self {
        case .wrongType, .tooLong: "wrong_type"
        case .notAChoice, .severalChoices, .retired, .tooManyChoices: "unknown_choice"
        case .required: "required_missing"
        case .unknownField, .notStored: "unknown_field"
        }
    }

    /// The fault, in one line, with the name of the field.
    package var description: String {
        switch self {
        case .wrongType(let field, let label, let wanted, let got, _):
            "field \(field)\(label.map { " (\(FormReader.shown($0)))" } ?? "") wants \(wanted), "
                + "not \"\(FormReader.shown(got))\""
        case .notAChoice(let field, let got, _):
            "field \(field) has no choice \"\(FormReader.shown(got))\""
        case .severalChoices(let field, let got, let several) where several.isByName:
            "field \(field): \(several.what) are called \(FormReader.shown(got)): "
                + several.told.joined(separator: ", ") + (several.hasMore ? " and more" : "")
        case .severalChoices(let field, let got, let several):
            "field \(field): \(several.what) are called \"\(FormReader.shown(got))\": "
                + several.told.joined(separator: "; ") + (several.hasMore ? "; and more" : "")
        case .retired(let field, let choice, _):
            "field \(field): \(FormReader.shown(choice)) is not offered any more"
        case .tooManyChoices(let field):
            "field \(field): more than \(FormLimits.chosen) choices in one answer"
        case .required(let field): "field \(field) is required"
        case .unknownField(let name, let form, _):
            "the form \(FormReader.shown(form)) has no field \"\(FormReader.shown(name))\""
        case .notStored(let field): "field \(field) is only shown; it keeps no value"
        case .tooLong(let field?, let bytes, let limit):
            "field \(field): \(bytes) bytes; at most \(limit) are possible"
        case .tooLong(nil, let bytes, let limit):
            "the entry has \(bytes) bytes; at most \(limit) are possible"
        }
    }

    /// The same of a field in a row of a repeat, `person[2]/age`: its name alone does not say which.
    package func at(_ path: String) -> ValueError {
        switch self {
        case .wrongType(_, let label, let wanted, let got, let hint):
            .wrongType(field: path, label: label, wanted: wanted, got: got, hint: hint)
        case .notAChoice(_, let got, let hint): .notAChoice(field: path, got: got, hint: hint)
        case .severalChoices(_, let got, let several):
            .severalChoices(field: path, got: got, several)
        case .retired(_, let choice, let hint): .retired(field: path, choice: choice, hint: hint)
        case .tooManyChoices: .tooManyChoices(field: path)
        case .required: .required(field: path)
        case .unknownField(_, let form, let hint):
            .unknownField(name: path, form: form, hint: hint)
        case .notStored: .notStored(field: path)
        case .tooLong(let field, let bytes, let limit):
            .tooLong(field: field.map { _ in path }, bytes: bytes, limit: limit)
        }
    }

    /// The same of a value that somebody wrote otherwise.
    func withGot(_ typed: String) -> ValueError {
        switch self {
        case .wrongType(let field, let label, let wanted, _, let hint):
            .wrongType(field: field, label: label, wanted: wanted, got: typed, hint: hint)
        default: self
        }
    }

    /// Of a value of another type what is wanted, with its article.
    package var wanted: String? {
        if case .wrongType(_, _, let wanted, _, _) = self { wanted } else { nil }
    }

    /// The remedy.
    package var hint: String {
        switch self {
        case .wrongType(_, _, _, _, let hint), .notAChoice(_, _, let hint),
            .retired(_, _, let hint), .unknownField(_, _, let hint):
            hint
        case .severalChoices(_, _, let several) where several.isByName:
            "Give its name: \(several.example), for instance."
        case .severalChoices(_, let got, let several):
            "Give one's id in the place of \(FormReader.shown(got)): \(several.example), for instance."
        case .tooManyChoices: "Leave some out, or make several entries of it."
        case .required(let field): "Give it a value: \(field)=VALUE."
        case .notStored(let field): "Leave \(field) out."
        case .tooLong: "Shorten it."
        }
    }

    /// The field concerned; nil where it is the entry as a whole.
    package var field: String? {
        switch self {
        case .wrongType(let field, _, _, _, _), .notAChoice(let field, _, _),
            .severalChoices(let field, _, _), .retired(let field, _, _), .tooManyChoices(let field),
            .required(let field), .notStored(let field):
            field
        case .tooLong(let field, _, _): field
        case .unknownField(let name, _, _): name
        }
    }

    /// Of several choices with their names what the whole answer may be; others as they are.
    func ofAnswer(_ answer: [[[String]]]) -> ValueError {
        guard case .severalChoices(let field, let got, var several) = self else { return self }
        several.answer = answer
        return .severalChoices(field: field, got: got, several)
    }

    /// Of each choice of the answer what it may be; nil where it is not that several are called so.
    package var candidates: [[[String]]]? {
        guard case .severalChoices(_, _, let several) = self else { return nil }
        return several.answer
    }
}
