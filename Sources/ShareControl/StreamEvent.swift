package import JSON

/// One line of an answer to long work: any number of `progress`, then one `result` or `problem`.
package enum StreamEvent<Result: JSONConvertible>: JSONConvertible {
    /// `total` is nil where it is not known beforehand.
    case progress(done: Int, total: Int?)
    case result(Result)
    case problem(Problem)

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        switch try object.get("event", as: String.self) {
        case "progress":
            self = .progress(done: try object.get("done"), total: try object.find("total"))
        case "result": self = .result(try object.get("result"))
        case "problem": self = .problem(try object.get("problem"))
        default:
            throw .wrongKind(path: "event", expected: "a known event", found: "another")
        }
    }

    package var json: JSONValue {
        switch self {
        case .progress(let done, let total):
            ["event": "progress", "done": done.json, "total": total.json]
        case .result(let result): ["event": "result", "result": result.json]
        case .problem(let problem): ["event": "problem", "problem": problem.json]
        }
    }
}
