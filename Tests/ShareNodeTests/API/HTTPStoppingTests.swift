import Glibc
import ShareNode
import ShareTestKit
import Testing

/// The end of a server while it is at work.
@Suite(.timeLimit(.minutes(1)))
struct HTTPStoppingTests {
    @Test func `stopping ends watches in order, and cuts what does not end`() async throws {
        let endless = try EndlessServer()
        let path = endless.server.path
        let watcher = try HTTPTestClient(path)
        try await watcher.send("GET /watch HTTP/1.1\r\n\r\n")
        _ = try await watcher.receive(until: "first")
        let reader = try HTTPTestClient(path)
        try await reader.send("GET /export HTTP/1.1\r\n\r\n")
        _ = try await reader.receive(1000)
        let importer = try HTTPTestClient(path)
        try await importer.send("POST /import HTTP/1.1\r\nContent-Length: 10\r\n\r\nabc")
        let idle = try HTTPTestClient(path)
        #expect(await eventually { endless.server.server.liveRequests == 3 })
        #expect(await eventually { endless.server.server.openConnections == 4 })
        await endless.server.stop(grace: .seconds(3))
        #expect(endless.server.server.liveRequests == 0)
        #expect(try await watcher.receiveAll().hasSuffix("0\r\n\r\n"))
        #expect(endless.downloads.value.sorted() == ["clientGone", "watch ended"])
        #expect(endless.uploads.value == ["clientGone"])
        #expect(try await idle.receive().isEmpty)
        #expect(throws: HTTPTestClient.Failure.self) { try HTTPTestClient(path) }
    }

    @Test func `stopping lets a request finish`() async throws {
        let server = try HTTPTestServer { router in
            router.on(.get, "/") { _ in
                try? await Task.sleep(for: .milliseconds(200))
                return HTTPResponse(body: Array("done".utf8))
            }
        }
        let client = try HTTPTestClient(server.path)
        try await client.send("GET / HTTP/1.1\r\n\r\n")
        #expect(await eventually { server.server.liveRequests == 1 })
        await server.stop(grace: .seconds(5))
        #expect(try await client.receiveAll().hasSuffix("done"))
    }

    @Test func `starting and stopping under load crashes nothing`() async throws {
        for round in 0..<20 {
            let endless = try EndlessServer(limits: .fast)
            let path = endless.server.path
            let clients = try (0..<12).map { _ in try HTTPTestClient(path) }
            for (number, client) in clients.enumerated() {
                let line = ["GET /watch", "GET /export", "GET /quick", "POST /import"][number % 4]
                try await client.send("\(line) HTTP/1.1\r\nContent-Length: 100\r\n\r\nabc")
            }
            if round % 2 == 0 { for client in clients.prefix(6) { client.leave() } }
            await endless.server.stop(grace: .milliseconds(round * 2))
            #expect(endless.server.server.liveRequests == 0)
        }
    }
}
