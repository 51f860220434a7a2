import FoundationEssentials
import JSON
import ShareControl
import ShareCore
import ShareCrypto
import ShareNet
import ShareStore
import Synchronization
import Testing

@testable import ShareNode

/// A node with a folder of its own and its control routes, in this process: TLS on loopback is
/// real, only the control socket is left out.
final class TestNode: Sendable {
    let node: Node
    let folder: String
    private let data: DataDirectory
    private let router: Router
    private let running: Task<Void, Never>

    /// Starts a node that dials `peers`.
    ///
    /// - Parameters:
    ///   - ports: ports on loopback that it dials too.
    ///   - clockAhead: milliseconds by which its wall clock is ahead.
    ///   - ticks: whether each look at its clock finds it a millisecond later.
    ///   - folder: where an earlier one lived; without it a new folder.
    init(
        _ name: String, peers: [TestNode] = [], ports: [UInt16] = [], folder: String? = nil,
        clockAhead: Int64 = 0, ticks: Bool = false
    ) async throws {
        self.folder =
            folder
            ?? FileManager.default.temporaryDirectory.path + "/node-" + name + "-"
            + UUID().uuidString
        data = try DataDirectory(path: self.folder)
        var setup = Node.Setup(data: data, name: name, log: Log(level: .error))
        setup.listen = Endpoint(host: "127.0.0.1", port: 0)
        setup.peers =
            peers.map(\.endpoint) + ports.map { Endpoint(host: "127.0.0.1", port: $0) }
        setup.discovers = false
        let looks = Atomic<Int64>(0)
        setup.wall = {
            let later = ticks ? looks.add(1, ordering: .relaxed).newValue : 0
            return UInt64(Int64(WallClock.milliseconds()) + clockAhead + later)
        }
        let node = try await Node(setup)
        self.node = node
        router = ControlRoutes(node: node).router()
        running = Task { await node.run() }
    }

    var endpoint: Endpoint { node.listener.endpoint }
    var id: String { node.identity.key.text }

    /// Ends the node; its folder stays for another start if `keeping`.
    func stop(keeping: Bool = false) async {
        node.endStreams()
        await node.stop()
        running.cancel()
        await running.value
        data.close()
        if !keeping { try? FileManager.default.removeItem(atPath: folder) }
    }

    // MARK: Requests

    /// What a route answered.
    struct Reply {
        let status: Int
        let headers: [HTTPFields.Field]
        let bytes: [UInt8]

        var text: String { String(decoding: bytes, as: UTF8.self) }
        var notices: [String] {
            headers.filter { $0.name == ControlHeader.notice }
                .compactMap { PercentEncoding.decode($0.value) }
        }

        /// The lines of an answer in lines, without empty ones.
        var lines: [[UInt8]] { bytes.split(separator: 10).map { Array($0) } }

        func decoded<Answer: Codable & Sendable>(as: Answer.Type = Answer.self) throws -> Answer {
            guard status < 300 else { throw try Problem(jsonText: bytes) }
            return try Answer(jsonText: bytes)
        }
    }

    /// No route of that method and path.
    struct NoRoute: Error { let path: String }

    /// Asks a route, given as its path with its query, and takes its whole answer.
    func ask(
        _ method: HTTPMethod, _ target: String, body: [UInt8] = [],
        headers: [HTTPFields.Field] = []
    ) async throws -> Reply {
        let response = try await response(method, target, body: body, headers: headers)
        switch response.body {
        case .bytes(let bytes):
            return Reply(status: response.status, headers: response.headers, bytes: bytes)
        case .stream(let stream):
            let bytes = try await Self.collect(stream)
            return Reply(status: response.status, headers: response.headers, bytes: bytes)
        }
    }

    /// The lines of a stream that does not end by itself, for as long as they are read.
    func lines(_ target: String) async throws -> AsyncThrowingStream<[UInt8], any Error> {
        let response = try await response(.get, target)
        guard case .stream(let stream) = response.body else { throw NoRoute(path: target) }
        let (lines, continuation) = AsyncThrowingStream.makeStream(of: [UInt8].self)
        let reading = Task {
            var rest: [UInt8] = []
            do {
                try await Self.read(stream) { piece in
                    rest += piece
                    while let end = rest.firstIndex(of: 10) {
                        if end > 0 { continuation.yield(Array(rest[..<end])) }
                        rest.removeSubrange(...end)
                    }
                }
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        continuation.onTermination = { _ in reading.cancel() }
        return lines
    }

    private static func collect(_ stream: HTTPStream) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        try await read(stream) { bytes += $0 }
        return bytes
    }

    /// Takes what a handler writes, as the server does: the pipe wakes who pulls.
    private static func read(_ stream: HTTPStream, _ take: ([UInt8]) -> Void) async throws {
        let (wakes, waker) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let pipe = BytePipe(capacity: 1 << 16) { waker.yield() }
        let producing = Task {
            defer { pipe.finish() }
            try await stream.produce(HTTPResponseWriter(pipe: pipe))
        }
        var isOver = false
        func drain() {
            var buffer = [UInt8](repeating: 0, count: 1 << 14)
            while true {
                switch buffer.withUnsafeMutableBytes({ pipe.pull(into: $0) }) {
                case .bytes(let count): take(Array(buffer.prefix(count)))
                case .empty: return
                case .end, .failed:
                    isOver = true
                    return
                }
            }
        }
        drain()
        if !isOver {
            for await _ in wakes {
                drain()
                if isOver { break }
            }
        }
        if !isOver {
            // The reader has gone, as a client does.
            producing.cancel()
            pipe.fail(.clientGone)
            return
        }
        try await producing.value
    }

    private func response(
        _ method: HTTPMethod, _ target: String, body: [UInt8] = [],
        headers: [HTTPFields.Field] = []
    ) async throws -> HTTPResponse {
        let parts = target.split(separator: "?", maxSplits: 1)
        let path = String(parts[0])
        let query = parts.dropFirst().flatMap { $0.split(separator: "&") }.map { pair in
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return HTTPFields.Field(
                PercentEncoding.decode(sides[0]) ?? "",
                sides.count > 1 ? PercentEncoding.decode(sides[1]) ?? "" : "")
        }
        guard case .found(let route, let parameters) = router.match(method, path) else {
            throw NoRoute(path: path)
        }
        return await route.handler(
            HTTPRequest(
                method: method, path: path, parameters: parameters, query: HTTPFields(query),
                headers: HTTPFields(headers),
                body: route.body == .streamed ? .streamed(HTTPUpload(body)) : .collected(body)))
    }

    /// The answer of a `GET`.
    ///
    /// - Throws: `Problem` if that was the answer.
    func get<Answer: Codable & Sendable>(
        _ target: String, as: Answer.Type = Answer.self
    ) async throws -> Answer {
        try await ask(.get, target).decoded()
    }

    /// The answer of a `POST`, or another method with a body.
    ///
    /// - Throws: `Problem` if that was the answer.
    @discardableResult
    func post<Answer: Codable & Sendable>(
        _ target: String, _ body: some Encodable, method: HTTPMethod = .post,
        as: Answer.Type = Answer.self
    ) async throws -> Answer {
        try await ask(method, target, body: body.jsonText).decoded()
    }

    /// The result of long work.
    ///
    /// - Throws: `Problem` if that was the answer, or its last line.
    @discardableResult
    func work<Answer: Codable & Sendable>(
        _ target: String, _ body: [UInt8] = [], as: Answer.Type = Answer.self
    ) async throws -> Answer {
        let reply = try await ask(.post, target, body: body)
        guard reply.status < 300 else { throw try Problem(jsonText: reply.bytes) }
        guard let last = reply.lines.last else { throw NoRoute(path: target) }
        switch try StreamEvent<Answer>(jsonText: last) {
        case .result(let answer): return answer
        case .problem(let problem): throw problem
        case .progress: throw NoRoute(path: target)
        }
    }
}
