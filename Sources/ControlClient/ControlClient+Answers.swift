internal import JSON
package import ShareControl

extension ControlClient {
    /// An answer that is not streamed is refused above this size.
    private static let longestAnswer = 64 << 20

    /// The whole answer as one value.
    package func answer<Answer: Codable & Sendable>(
        _ request: ControlRequest, as: Answer.Type = Answer.self
    ) throws(Problem) -> Answer {
        let body = Box<[UInt8]>([])
        try send(request) { (bytes) throws(Problem) in
            guard body.value.count + bytes.count <= Self.longestAnswer else {
                throw Problem(.notUnderstood, "the daemon's answer is too long")
            }
            body.value.append(contentsOf: bytes)
            return true
        }
        return try Self.understood(body.value)
    }

    /// Sends a request whose answer has no body.
    package func command(_ request: ControlRequest) throws(Problem) {
        try send(request) { _ in true }
    }

    /// Each line of a streamed answer, until `each` returns false or the stream ends.
    ///
    /// - Returns: whether the stream came to its end.
    @discardableResult
    package func lines(
        _ request: ControlRequest, _ each: @escaping ([UInt8]) throws(Problem) -> Bool
    ) throws(Problem) -> Bool {
        let splitter = Box(LineSplitter())
        return try send(request) { (bytes) throws(Problem) in
            try splitter.value.append(bytes, each)
        }
    }

    /// The result of long work, whose progress is told on the way.
    ///
    /// - Throws: also the problem that the work ended with.
    package func work<Answer: Codable & Sendable>(
        _ request: ControlRequest, as: Answer.Type = Answer.self,
        progress: @escaping (_ done: Int, _ total: Int?, _ lacking: String?) -> Void
    ) throws(Problem) -> Answer {
        let outcome = Box<StreamEvent<Answer>?>(nil)
        try lines(request) { (line) throws(Problem) in
            switch try Self.understood(line, as: StreamEvent<Answer>.self) {
            case .progress(let done, let total, let lacking): progress(done, total, lacking)
            case let end: outcome.value = end
            }
            return true
        }
        switch outcome.value {
        case .result(let answer): return answer
        case .problem(let problem): throw problem
        case .progress, nil:
            throw Problem(
                .connectionLost, "the daemon's answer ended without a result",
                hint: "See whether it runs and what was done: `shared status`.")
        }
    }

    /// Bytes of an answer as the value that they must be.
    package static func understood<Answer: Codable & Sendable>(
        _ bytes: [UInt8], as: Answer.Type = Answer.self
    ) throws(Problem) -> Answer {
        do {
            return try Answer(jsonText: bytes)
        } catch {
            throw Problem(
                .notUnderstood, "the daemon's answer is not understood: \(error)",
                hint: "See whether shared and sharedd are of the same release: `shared version`.")
        }
    }
}

/// A variable that the closures of one request may change.
private final class Box<Value> {
    var value: Value
    init(_ value: Value) { self.value = value }
}
