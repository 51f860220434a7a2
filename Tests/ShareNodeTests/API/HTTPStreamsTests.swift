import Glibc
import ShareNode
import ShareTestKit
import Testing

@Suite(.timeLimit(.minutes(1)))
struct HTTPStreamsTests {
    @Test func `a gigabyte each way waits in a small buffer`() async throws {
        let total = 1 << 30
        let server = try HTTPTestServer { router in
            router.on(.get, "/export") { _ in
                HTTPResponse(heartbeat: false) { writer in
                    for _ in 0..<(total >> 16) { try await writer.write(EndlessServer.piece) }
                }
            }
            router.on(.post, "/import", body: .streamed) { request in
                var count = 0
                do {
                    for try await piece in request.pieces { count += piece.count }
                } catch { count = -1 }
                return HTTPResponse(body: Array("\(count)".utf8))
            }
        }
        let before = try residentBytes()
        let reader = try HTTPTestClient(server.path)
        try await reader.send("GET /export HTTP/1.0\r\n\r\n")
        var received = 0
        while true {
            let count = try await reader.receive(1 << 18).count
            if count == 0 { break }
            received += count
        }
        #expect(received > total && received < total + 1000)
        let writer = try HTTPTestClient(server.path)
        try await writer.send("POST /import HTTP/1.1\r\nContent-Length: \(total)\r\n\r\n")
        for _ in 0..<(total >> 16) { try await writer.send(EndlessServer.piece) }
        #expect(try await writer.receive(until: "\(total)").contains("200"))
        #expect(server.server.peakBuffer > 0)
        #expect(server.server.peakBuffer <= HTTPLimits().streamBuffer + (1 << 16))
        // A leak of a byte in ten would be seen.
        #expect(try residentBytes() - before < total / 10)
        await server.stop()
    }

    private func residentBytes() throws -> Int {
        let file = try #require(fopen("/proc/self/statm", "r"))
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        fgets(&line, 256, file)
        let text = String(decoding: line.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return try #require(Int(text.split(separator: " ")[1])) * 4096
    }

    @Test func `a client that leaves mid-upload ends the body with an error`() async throws {
        let endless = try EndlessServer()
        let lengths = ["Content-Length: 1000000", "Transfer-Encoding: chunked"]
        for (number, length) in lengths.enumerated() {
            let client = try HTTPTestClient(endless.server.path)
            try await client.send("POST /import HTTP/1.1\r\n\(length)\r\n\r\n")
            if number == 1 { try await client.send("5\r\n") }
            try await client.send("hello")
            if number == 1 { try await client.send("\r\n") }
            #expect(await eventually { endless.server.server.liveRequests == 1 })
            client.leave()
            #expect(await eventually { endless.server.server.liveRequests == 0 })
        }
        #expect(endless.uploads.value == ["clientGone", "clientGone"])
        await endless.server.stop()
    }

    @Test func `a client that leaves mid-download ends the producer`() async throws {
        let endless = try EndlessServer(limits: .fast)
        let client = try HTTPTestClient(endless.server.path)
        try await client.send("GET /export HTTP/1.1\r\n\r\n")
        _ = try await client.receive()
        client.leave()
        #expect(await eventually { endless.server.server.liveRequests == 0 })
        #expect(endless.downloads.value == ["clientGone"])
        await endless.server.stop()
    }

    @Test func `a producer that fails leaves no whole answer`() async throws {
        let endless = try EndlessServer()
        let answer = try await HTTPTestClient.ask(endless.server.path, "GET /broken")
        #expect(answer.contains("200 OK"))
        #expect(!answer.hasSuffix("0\r\n\r\n"))
        await endless.server.stop()
    }

    @Test func `an upload that nobody wants is read to its end, and answered`() async throws {
        let endless = try EndlessServer()
        let client = try HTTPTestClient(endless.server.path)
        let size = 8 << 20
        try await client.send("POST /refuse HTTP/1.1\r\nContent-Length: \(size)\r\n\r\n")
        for _ in 0..<(size >> 16) { try await client.send(EndlessServer.piece) }
        #expect(try await client.receive(until: "no").contains("409"))
        await endless.server.stop()
    }

    @Test func `a slow reader holds the producer, and gets everything`() async throws {
        let written = Shared(0)
        let server = try HTTPTestServer { router in
            router.on(.get, "/") { _ in
                HTTPResponse(heartbeat: false) { writer in
                    for _ in 0..<64 {
                        try await writer.write(EndlessServer.piece)
                        written.change { $0 += 1 }
                    }
                }
            }
        }
        let client = try HTTPTestClient(server.path)
        try await client.send("GET / HTTP/1.0\r\n\r\n")
        // It comes to rest with its buffers full, far from the end.
        let last = Shared(-1)
        #expect(
            await eventually {
                try? await Task.sleep(for: .milliseconds(50))
                defer { last.value = written.value }
                return written.value > 0 && written.value == last.value
            })
        #expect(written.value < 32)
        #expect(try await client.receiveAll().utf8.count > 64 << 16)
        await server.stop()
    }

    @Test func `a hundred forgotten watches keep nobody out`() async throws {
        let endless = try EndlessServer(limits: .fast)
        let path = endless.server.path
        // All stay open and unread; those beyond the limit are told so.
        let watchers = try (0..<60).map { _ in try HTTPTestClient(path) }
        for watcher in watchers { try await watcher.send("GET /watch HTTP/1.1\r\n\r\n") }
        #expect(try await HTTPTestClient.ask(path, "GET /quick").hasSuffix("quick"))
        var answers: [String] = []
        for watcher in watchers { answers.append(try await watcher.receive(until: "\r\n\r\n")) }
        #expect(answers.filter { $0.contains("200 OK") }.count == HTTPLimits().watches)
        #expect(answers.filter { $0.contains("503") }.count == 60 - HTTPLimits().watches)
        // A hundred that come and are forgotten, one after the other.
        for watcher in watchers { watcher.leave() }
        for _ in 0..<100 {
            // On a busy machine the server hears of those that left only after a while, and turns
            // others away until then.
            let isTaken = await eventually {
                guard let client = try? HTTPTestClient(path) else { return false }
                defer { client.leave() }
                return (try? await client.send("GET /watch HTTP/1.1\r\n\r\n")) != nil
            }
            #expect(isTaken)
        }
        #expect(try await HTTPTestClient.ask(path, "GET /quick").hasSuffix("quick"))
        #expect(await eventually { endless.server.server.liveRequests == 0 })
        let again = try HTTPTestClient(path)
        try await again.send("GET /watch HTTP/1.1\r\n\r\n")
        #expect(try await again.receive(until: "first").contains("200 OK"))
        await endless.server.stop()
    }

    @Test func `an idle watch sends a newline, and only between lines`() async throws {
        var limits = HTTPLimits.fast
        limits.heartbeat = .milliseconds(60)
        let server = try HTTPTestServer(limits: limits) { router in
            router.on(.get, "/lines", isWatch: true) { _ in
                HTTPResponse(heartbeat: true) { writer in
                    try await writer.write("one\n")
                    await writer.ended()
                }
            }
            router.on(.get, "/half", isWatch: true) { _ in
                HTTPResponse(heartbeat: true) { writer in
                    try await writer.write("on")
                    try await Task.sleep(for: .milliseconds(300))
                    try await writer.write("e\n")
                }
            }
        }
        let client = try HTTPTestClient(server.path)
        try await client.send("GET /lines HTTP/1.0\r\n\r\n")
        #expect(try await client.receive(until: "one\n\n\n").contains("200 OK"))
        let half = try HTTPTestClient(server.path)
        try await half.send("GET /half HTTP/1.0\r\n\r\n")
        // One more may follow before it ends.
        #expect(try await half.receiveAll().contains("\r\n\r\none\n"))
        await server.stop()
    }

    @Test func `a handler is cancelled when its client leaves`() async throws {
        let ended = Shared(false)
        let server = try HTTPTestServer(limits: .fast) { router in
            router.on(.post, "/sync") { _ in
                do { try await Task.sleep(for: .seconds(50)) } catch { ended.value = true }
                return HTTPResponse()
            }
        }
        let client = try HTTPTestClient(server.path)
        try await client.send("POST /sync HTTP/1.1\r\n\r\n")
        #expect(await eventually { server.server.liveRequests == 1 })
        client.leave()
        #expect(await eventually { server.server.liveRequests == 0 })
        #expect(ended.value)
        await server.stop()
    }
}
