internal import JSON

/// One line of an answer to long work: any number of `progress`, then one `result` or `problem`.
package enum StreamEvent<Result: Codable & Sendable>: Sendable {
    /// `total` is nil where it is not known beforehand; `lacking` says what others lack meanwhile.
    case progress(done: Int, total: Int?, lacking: String? = nil)
    case result(Result)
    case problem(Problem)
}

extension StreamEvent: Codable {
    private enum CodingKeys: CodingKey { case event, done, total, lacking, result, problem }
    private enum Kind: String, JSONWord { case progress, result, problem }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        switch try container.decode(Kind.self, forKey: .event) {
        case .progress:
            self = .progress(
                done: try container.decode(Int.self, forKey: .done),
                total: try container.decodeIfPresent(Int.self, forKey: .total),
                lacking: try container.decodeIfPresent(String.self, forKey: .lacking))
        case .result: self = .result(try container.decode(Result.self, forKey: .result))
        case .problem: self = .problem(try container.decode(Problem.self, forKey: .problem))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .progress(let done, let total, let lacking):
            try container.encode(Kind.progress, forKey: .event)
            try container.encode(done, forKey: .done)
            try container.encodeIfPresent(total, forKey: .total)
            try container.encodeIfPresent(lacking, forKey: .lacking)
        case .result(let result):
            try container.encode(Kind.result, forKey: .event)
            try container.encode(result, forKey: .result)
        case .problem(let problem):
            try container.encode(Kind.problem, forKey: .event)
            try container.encode(problem, forKey: .problem)
        }
    }
}
