/// A failure and its remedy, as an RFC 9457 problem object (`application/problem+json`).
package struct Problem: Error, Codable, Hashable, Sendable {
    /// Always `about:blank`: `code` is what tells problems apart.
    package static let type = "about:blank"
    package static let mediaType = "application/problem+json"

    package var code: ErrorCode
    /// The failure, in one clause without a full stop.
    package var detail: String
    /// The next step to take, in one sentence.
    package var hint: String?
    /// The places in a file that the problem lies in, in their order.
    package var errors: [RowError]
    /// The single problems, where they are several: of the answers of an entry, the cells of a form.
    package var problems: [EntryProblem]

    package init(
        _ code: ErrorCode, _ detail: String, hint: String? = nil, errors: [RowError] = [],
        problems: [EntryProblem] = []
    ) {
        self.problems = problems
        self.code = code
        self.detail = detail
        self.hint = hint?.isEmpty == true ? nil : hint
        self.errors = errors
    }

    /// More conditions than are read in one question.
    package static func tooManyConditions(_ count: Int) -> Problem {
        Problem(
            .badRequest,
            "\(count) conditions in one question; at most \(ControlLimits.conditions) are read",
            hint: "Put some into one: \"n != 1 and n != 2\", or ask in several parts.")
    }

    /// A form that cannot be added, for each of its faults.
    ///
    /// - Parameters:
    ///   - source: the file, where it has a name.
    ///   - faults: at least one.
    ///   - besides: what is told with them and stops no form.
    package static func badForm(
        _ faults: [(message: String, hint: String?)],
        besides: [(message: String, hint: String?)] = [], in source: String? = nil
    ) -> Problem {
        guard faults.count + besides.count > 1 else {
            let place = source.map { "\($0): " } ?? ""
            return Problem(.badForm, place + faults[0].message, hint: faults[0].hint)
        }
        let wrong = faults.count == 1 ? "1 thing is wrong" : "\(faults.count) things are wrong"
        let more =
            besides.isEmpty
            ? "" : ", and \(besides.count) more \(besides.count == 1 ? "is" : "are") told"
        return Problem(
            .badForm,
            (source.map { "\($0): \(wrong)" } ?? "\(wrong) with the form") + more,
            problems: (faults + besides).map {
                EntryProblem(path: "", kind: .type, message: $0.message, hint: $0.hint)
            })
    }

    private enum CodingKeys: CodingKey {
        case type, status, code, title, detail, hint, errors, problems
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        code = try container.decode(ErrorCode.self, forKey: .code)
        detail = try container.decodeIfPresent(String.self, forKey: .detail) ?? code.title
        hint = try container.decodeIfPresent(String.self, forKey: .hint)
        errors = try container.decodeIfPresent([RowError].self, forKey: .errors) ?? []
        problems = try container.decodeIfPresent([EntryProblem].self, forKey: .problems) ?? []
    }

    /// A problem that only the command line makes has no status; one with no places has no list.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.type, forKey: .type)
        if let status = code.status { try container.encode(status, forKey: .status) }
        try container.encode(code, forKey: .code)
        try container.encode(code.title, forKey: .title)
        try container.encode(detail, forKey: .detail)
        try container.encodeIfPresent(hint, forKey: .hint)
        if !errors.isEmpty { try container.encode(errors, forKey: .errors) }
        if !problems.isEmpty { try container.encode(problems, forKey: .problems) }
    }
}
