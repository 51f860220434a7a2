import ShareNet
import ShareTestKit
import Testing

@testable import ShareNode

/// How long a daemon serves.
@Suite(.serialized, .timeLimit(.minutes(1))) struct DaemonServeTests {
    private let scratch: ScratchFolder
    private let socket: ControlSocket
    private let logged = Shared<[String]>([])
    private let endings: AsyncStream<Daemon.Ending>
    private let end: AsyncStream<Daemon.Ending>.Continuation

    init() throws {
        scratch = try ScratchFolder()
        socket = try ControlSocket(path: scratch.path + "/control.sock")
        (endings, end) = AsyncStream.makeStream()
    }

    private func node(_ name: String) async throws -> Node {
        let data = try DataDirectory(path: scratch.path + "/" + name)
        let log = Log(level: .error, hasPriorities: false) { [logged] line in
            logged.change { $0.append(line) }
        }
        var setup = Node.Setup(data: data, name: name, log: log)
        setup.listen = Endpoint(host: "127.0.0.1", port: 0)
        setup.discovers = false
        return try await Node(setup)
    }

    private func serve(_ node: Node) async throws -> Daemon.Ending {
        try await Daemon.serve(
            node, socket, Supervision { _ in }, endings, end)
    }

    @Test func `one whose listener has ended stops serving, and fails`() async throws {
        let node = try await node("deaf")
        node.listener.close()
        await #expect(throws: Daemon.EndedUnasked.self) { try await serve(node) }
        #expect(logged.value.contains { $0.contains("unasked") })
    }

    @Test func `one that was asked to stop fails nothing after it`() async throws {
        for (name, ending) in [("first", Daemon.Ending.renewal), ("second", .signal(15))] {
            end.yield(ending)
            let reached = try await serve(try await node(name))
            #expect(reached.isRenewal == ending.isRenewal)
            if case .over = reached { Issue.record("it ended unasked") }
        }
        #expect(logged.value == [])
    }
}
