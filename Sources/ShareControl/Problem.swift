package import JSON

/// What went wrong and what to do, as an RFC 9457 problem object (`application/problem+json`).
package struct Problem: Error, JSONConvertible {
    /// Always `about:blank`: `code` is what tells problems apart.
    package static let type = "about:blank"
    package static let mediaType = "application/problem+json"

    package var code: ErrorCode
    /// What happened, in one clause without a full stop.
    package var detail: String
    /// What to do next, in one sentence.
    package var hint: String?
    /// The places in a file that the problem lies in, in their order.
    package var errors: [RowError]

    package init(
        _ code: ErrorCode, _ detail: String, hint: String? = nil, errors: [RowError] = []
    ) {
        self.code = code
        self.detail = detail
        self.hint = hint
        self.errors = errors
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        code = try object.get("code")
        detail = try object.find("detail") ?? code.title
        hint = try object.find("hint")
        errors = try object.find("errors") ?? []
    }

    package var json: JSONValue {
        var object: JSONObject = ["type": .string(Self.type)]
        object["status"] = code.status?.json
        object["code"] = code.json
        object["title"] = code.title.json
        object["detail"] = detail.json
        object["hint"] = hint.json
        if !errors.isEmpty { object["errors"] = errors.json }
        return object.json
    }
}
