import Foundation
import Glibc
import ShareNode
import ShareTestKit
import Testing

@Suite(.timeLimit(.minutes(1)))
struct HTTPRoutesTests {
    private func echo() throws -> HTTPTestServer {
        var limits = HTTPLimits()
        limits.headers = .seconds(5)
        limits.tick = .milliseconds(50)
        return try HTTPTestServer(limits: limits) { router in
            router.on(.get, "/v1/records/{form}") { request in
                let query = request.query.all.map { "\($0.name)=\($0.value)" }
                return HTTPResponse(
                    body: Array(
                        "\(request.parameters["form"] ?? "")|\(query.joined(separator: ","))".utf8))
            }
            router.on(.get, "/v1/records/all") { _ in HTTPResponse(body: Array("all".utf8)) }
            router.on(.post, "/v1/echo") { request in HTTPResponse(body: request.bytes) }
            router.on(.get, "/v1/slow") { _ in
                try? await Task.sleep(for: .milliseconds(30))
                return HTTPResponse(status: 201, body: Array("slow".utf8))
            }
        }
    }

    @Test(arguments: [
        ("/v1/records/virus", "virus|"),
        ("/v1/records/a%2Fb%20%C3%A4", "a/b ä|"),
        ("/v1/records/f?where=x%3D1%262&limit=5&flag", "f|where=x=1&2,limit=5,flag="),
        ("/v1/records/f?a=b+c%2Bd", "f|a=b c+d"),
        ("/v1/records/all", "all"),
    ])
    func `paths and queries are decoded once`(target: String, expected: String) async throws {
        let server = try echo()
        let answer = try await HTTPTestClient.ask(server.path, "GET \(target)")
        #expect(answer.hasPrefix("HTTP/1.1 200"))
        #expect(answer.hasSuffix("\r\n\r\n" + expected))
        #expect(answer.contains("Shared-Version: 1.2.3\r\n"))
        await server.stop()
    }

    @Test(arguments: [
        ("GET /nowhere", [], 404, "not_found_route"),
        ("GET /v1/records/", [], 404, "not_found_route"),
        ("GET /v1/records/a/b", [], 404, "not_found_route"),
        ("DELETE /v1/records/f", [], 405, "method_not_allowed"),
        ("BREW /v1/records/f", [], 405, "method_not_allowed"),
        ("GET /v1/records/%zz", [], 400, "bad_request"),
        ("GET /v1/records/%C3", [], 400, "bad_request"),
        ("GET /v1/records/f?a=%ff", [], 400, "bad_request"),
        ("GET /v1/records/f", ["Origin: http://evil.example"], 403, "not_allowed"),
    ])
    func `what cannot be answered is a problem`(
        line: String, headers: [String], status: Int, code: String
    ) async throws {
        let server = try echo()
        let answer = try await HTTPTestClient.ask(server.path, line, headers: headers)
        #expect(answer.hasPrefix("HTTP/1.1 \(status)"))
        #expect(answer.contains("Content-Type: application/problem+json\r\n"))
        #expect(answer.contains("\"code\":\"\(code)\""))
        #expect(answer.contains("Shared-Version: 1.2.3\r\n"))
        await server.stop()
    }

    @Test(arguments: [
        ("localhost", true), ("shared", true), ("LocalHost:80", true), ("", true),
        ("evil.example", false), ("localhost.evil.example", false), ("127.0.0.1", false),
    ])
    func `only our own host names are served`(host: String, isServed: Bool) async throws {
        let server = try echo()
        let client = try HTTPTestClient(server.path)
        try await client.send("GET /v1/slow HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n")
        #expect(try await client.receiveAll().hasPrefix("HTTP/1.1 \(isServed ? 201 : 403)"))
        await server.stop()
    }

    @Test func `a body is collected up to its limit`() async throws {
        var limits = HTTPLimits()
        limits.collectedBody = 100_000
        let server = try HTTPTestServer(limits: limits) { router in
            router.on(.post, "/echo") { HTTPResponse(body: $0.bytes) }
        }
        let fits = String(repeating: "x", count: 100_000)
        #expect(try await HTTPTestClient.ask(server.path, "POST /echo", body: fits).hasSuffix(fits))
        let over = try await HTTPTestClient.ask(server.path, "POST /echo", body: fits + "y")
        #expect(over.hasPrefix("HTTP/1.1 413"))
        #expect(over.contains("\"code\":\"too_large\""))
        // Of unknown length, so that only counting helps.
        let client = try HTTPTestClient(server.path)
        try await client.send(
            "POST /echo HTTP/1.1\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in 0..<3 {
            try await client.send("c350\r\n" + String(repeating: "z", count: 50_000) + "\r\n")
        }
        try await client.send("0\r\n\r\n")
        #expect(try await client.receiveAll().contains("HTTP/1.1 413"))
        #expect(await eventually { server.server.liveRequests == 0 })
        await server.stop()
    }

    @Test func `a client that asks first need not send a body that is refused`() async throws {
        let server = try echo()
        let client = try HTTPTestClient(server.path)
        try await client.send(
            "POST /v1/echo HTTP/1.1\r\nContent-Length: 99999999\r\nExpect: 100-continue\r\n\r\n")
        #expect(try await client.receive(until: "too_large").hasPrefix("HTTP/1.1 413"))
        await server.stop()
    }

    @Test func `pipelined requests are answered in order`() async throws {
        let server = try echo()
        let client = try HTTPTestClient(server.path)
        let one = "GET /v1/slow HTTP/1.1\r\nHost: shared\r\n\r\n"
        let two = "POST /v1/echo HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"
        let three = "GET /v1/records/last HTTP/1.1\r\nConnection: close\r\n\r\n"
        try await client.send(one + two + three)
        let answer = try await client.receiveAll()
        let places = ["slow", "abc", "last|"].compactMap { answer.range(of: $0)?.lowerBound }
        #expect(places.count == 3 && places == places.sorted())
        #expect(await eventually { server.server.liveRequests == 0 })
        await server.stop()
    }

    @Test(arguments: [
        "\u{0}\u{1}\u{2}garbage\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
        "POST /v1/echo HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
        "POST /v1/echo HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n",
        "POST /v1/echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzzzz\r\n",
        "POST /v1/echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
        "GET /" + String(repeating: "a", count: 100_000) + " HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\n" + String(repeating: "A: b\r\n", count: 20_000) + "\r\n",
    ])
    func `garbage ends its connection and nothing else`(garbage: String) async throws {
        let server = try echo()
        let client = try HTTPTestClient(server.path)
        // The server may close before all is sent.
        try? await client.send(garbage)
        _ = try? await client.receive()
        client.leave()
        #expect(try await HTTPTestClient.ask(server.path, "GET /v1/slow").hasSuffix("slow"))
        #expect(await eventually { server.server.liveRequests == 0 })
        await server.stop()
    }

    @Test func `who gets one of the last descriptors is told so, and nothing is done`() async throws
    {
        var limits = HTTPLimits()
        limits.descriptors = 0
        let server = try HTTPTestServer(limits: limits) { router in
            router.on(.get, "/") { _ in HTTPResponse() }
        }
        for _ in 0..<3 {
            let answer = try await HTTPTestClient.ask(server.path, "GET /")
            #expect(answer.hasPrefix("HTTP/1.1 503"), "\(answer)")
            #expect(answer.contains("too many files"), "\(answer)")
            #expect(await eventually { server.server.openConnections == 0 })
        }
        await server.stop()
    }

    @Test func `a watch gets none of the descriptors that are kept back, a command does`()
        async throws
    {
        var limits = HTTPLimits()
        limits.watchDescriptors = 0
        let server = try HTTPTestServer(limits: limits) { router in
            router.on(.get, "/") { _ in HTTPResponse(body: Array("here".utf8)) }
            router.on(.get, "/watch", isWatch: true) { _ in HTTPResponse() }
        }
        let answer = try await HTTPTestClient.ask(server.path, "GET /watch")
        #expect(answer.hasPrefix("HTTP/1.1 503"), "\(answer)")
        #expect(answer.contains("too many files"), "\(answer)")
        #expect(try await HTTPTestClient.ask(server.path, "GET /").hasSuffix("here"))
        await server.stop()
    }

    @Test func `headers that do not come end the connection`() async throws {
        var limits = HTTPLimits()
        limits.headers = .milliseconds(100)
        limits.tick = .milliseconds(20)
        let server = try HTTPTestServer(limits: limits) { router in
            router.on(.get, "/") { _ in HTTPResponse() }
        }
        let silent = try HTTPTestClient(server.path)
        let slow = try HTTPTestClient(server.path)
        try await slow.send("GET / HTTP/1.1\r\nX: ")
        // Each byte is activity, and yet the deadline holds.
        let trickle = Task.detached {
            while (try? await slow.send("x")) != nil {
                try? await Task.sleep(for: .milliseconds(5))
            }
        }
        #expect(try await silent.receive().isEmpty)
        await trickle.value
        #expect(await eventually { server.server.openConnections == 0 })
        await server.stop()
    }

    @Test func `idle connections give way to new ones, and watches are counted apart`() async throws
    {
        var limits = HTTPLimits()
        limits.connections = 4
        limits.watches = 2
        // No time does it: only the new connections do.
        limits.headers = .seconds(600)
        let server = try HTTPTestServer(limits: limits) { router in
            router.on(.get, "/") { _ in HTTPResponse(body: Array("here".utf8)) }
            router.on(.get, "/watch", isWatch: true) { _ in
                HTTPResponse(heartbeat: true) { writer in
                    try await writer.write("seen\n")
                    await writer.ended()
                }
            }
        }
        var watches: [HTTPTestClient] = []
        for _ in 0..<2 {
            let watch = try HTTPTestClient(server.path)
            try await watch.send("GET /watch HTTP/1.1\r\nHost: shared\r\n\r\n")
            #expect(!(try await watch.receive()).isEmpty)
            watches.append(watch)
        }
        var silent: [HTTPTestClient] = []
        for _ in 0..<80 {
            silent.append(try HTTPTestClient(server.path))
            guard silent.count.isMultiple(of: 20) else { continue }
            #expect(try await HTTPTestClient.ask(server.path, "GET /").hasSuffix("here"))
        }
        // The first has been closed, the last has its place, and so have the watches.
        #expect(try await silent[0].receive().isEmpty)
        let last = try #require(silent.last)
        try await last.send("GET / HTTP/1.1\r\nHost: shared\r\nConnection: close\r\n\r\n")
        #expect(try await last.receiveAll().hasSuffix("here"))
        #expect(server.server.openConnections <= 4 + 2 + 8)
        withExtendedLifetime((silent, watches)) {}
        await server.stop()
    }
}
