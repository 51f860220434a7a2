import ControlClient
import Glibc
import JSON
import ShareControl
import Synchronization
import Testing

@Suite struct ControlClientTests {
    private func client(_ path: String, notice: @escaping (String) -> Void = { _ in }) throws
        -> ControlClient
    {
        ControlClient(try SocketLocation(option: path, environment: [:]), notice: notice)
    }

    private func client(_ server: TinyServer) throws -> ControlClient { try client(server.path) }

    @Test func `an answer arrives as its value, and one connection serves many requests`() throws {
        let connections = Atomic(0)
        let server = try TinyServer { _, connection in
            connections.add(1, ordering: .relaxed)
            connection.answer(
                "200 OK", "application/json", #"{"version":"0.1.0","api":1,"protocol":1,"new":[]}"#)
            return true
        }
        defer { server.stop() }
        let client = try client(server)
        for _ in 0..<3 {
            let answer: VersionAnswer = try client.answer(ControlRequest("GET", ["version"]))
            #expect(answer == VersionAnswer(version: "0.1.0", api: 1, protocolVersion: 1))
        }
        #expect(server.requests.count == 3)
        let first = try #require(server.requests.first)
        #expect(first.line == "GET /v1/version HTTP/1.1")
        #expect(first.head.contains("Host: shared"))
    }

    @Test func `paths and queries are encoded`() throws {
        let server = try TinyServer { _, connection in
            connection.answer("200 OK", "application/json", "[]")
            return true
        }
        defer { server.stop() }
        let request = ControlRequest(
            "GET", ["records", "a/b ü"], query: [("where", "x=1&2"), ("where", "y=+")])
        let rows: [JSONValue] = try client(server).answer(request)
        #expect(rows.isEmpty)
        #expect(
            server.requests.first?.line
                == "GET /v1/records/a%2Fb%20%C3%BC?where=x%3D1%262&where=y%3D%2B HTTP/1.1")
    }

    @Test func `a problem object is thrown with its code, hint and places`() throws {
        let problem = Problem(
            .wrongType, "Age must be a whole number", hint: "give digits",
            errors: [RowError(line: 7301, column: "Age", reason: "not a whole number")])
        let server = try TinyServer { _, connection in
            let body = String(decoding: problem.jsonText, as: UTF8.self)
            connection.answer("400 Bad Request", Problem.mediaType, body)
            return true
        }
        defer { server.stop() }
        let body = ControlRequest.Body.value(ValuesRequest(values: ["Age": "x"]))
        let request = ControlRequest("POST", ["records", "f"], body: body)
        #expect(throws: problem) {
            try client(server).answer(request, as: AddedAnswer.self)
        }
        let sent = try #require(server.requests.first)
        let asked = String(decoding: sent.body, as: UTF8.self)
        #expect(asked == #"{"values":{"Age":"x"},"seen":null}"#)
        #expect(sent.head.contains("Content-Type: application/json"))
    }

    @Test func `an error status without a problem object is not understood`() throws {
        let server = try TinyServer { _, connection in
            connection.answer("502 Bad Gateway", "text/html", "<html>")
            return true
        }
        defer { server.stop() }
        #expect(
            code { try client(server).command(ControlRequest("POST", ["use"])) } == .notUnderstood)
    }

    @Test func `notices are decoded and handed over`() throws {
        let server = try TinyServer { _, connection in
            connection.answer(
                "200 OK", "application/json", "[]",
                headers:
                    "Shared-Notice: a%20second%20room%20%22caf%C3%A9%22\r\nShared-Notice: b\r\n")
            return true
        }
        defer { server.stop() }
        let heard = Mutex<[String]>([])
        let client = try client(server.path) { notice in heard.withLock { $0.append(notice) } }
        try client.command(ControlRequest("GET", ["rooms"]))
        #expect(heard.withLock { $0 } == ["a second room \"café\"", "b"])
    }

    @Test(arguments: [true, false])
    func `a body is streamed with its length, or in chunks`(knowsLength: Bool) throws {
        let server = try TinyServer { _, connection in
            connection.write(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + #"29"# + "\r\n" + #"{"event":"progress","done":1,"total":nul"# + "l\r\n"
                    + "3\r\n}\n\n\r\n")
            let result =
                #"{"event":"result","result":{"added":3,"updated":0,"changes":[],"unchanged":0,"older":0,"deleted":0,"#
                + #""rejected":[],"rejected_count":0,"rows":3,"rejected_rows":0,"#
                + #""warnings":[],"warning_count":0,"#
                + #""duplicates":{"in_file":0,"own":0,"others":0,"alike":0,"keys":[]},"guess":null,"dry_run":false}}"#
                + "\n"
            connection.write("\(String(result.utf8.count, radix: 16))\r\n\(result)\r\n0\r\n\r\n")
            return true
        }
        defer { server.stop() }
        let total = 3_000_000
        let left = Mutex(total)
        let request = ControlRequest(
            "POST", ["import", "f"],
            body: .stream(mediaType: "text/csv", length: knowsLength ? total : nil) { buffer in
                left.withLock { left in
                    let count = min(left, buffer.count)
                    buffer.prefix(count).copyBytes(from: repeatElement(0x61, count: count))
                    left -= count
                    return count
                }
            })
        let seen = Mutex<[Int]>([])
        let answer: ImportAnswer = try client(server).work(request) { done, _, _ in
            seen.withLock { $0.append(done) }
        }
        #expect(answer.added == 3)
        #expect(seen.withLock { $0 } == [1])
        #expect(server.requests.first?.body.count == total)
    }

    @Test func `what reading the body throws ends the request`() throws {
        let server = try TinyServer { _, _ in false }
        defer { server.stop() }
        let request = ControlRequest(
            "POST", ["import", "f"],
            body: .stream(mediaType: "text/csv", length: nil) { _ throws(Problem) in
                throw Problem(.fileUnreadable, "the stick was pulled")
            })
        #expect(code { try client(server).command(request) } == .fileUnreadable)
    }

    @Test func `a problem at the end of long work is thrown`() throws {
        let server = try TinyServer { _, connection in
            connection.answer(
                "200 OK", "application/x-ndjson",
                #"{"event":"problem","problem":{"code":"nobody_in_reach","detail":"nobody"}}"#
                    + "\n")
            return true
        }
        defer { server.stop() }
        #expect(
            code {
                _ = try client(server).work(ControlRequest("POST", ["sync"]), as: SyncAnswer.self) {
                    _, _, _ in
                }
            } == .nobodyInReach)
    }

    @Test(arguments: [
        // An answer that ends early, work without a result, no answer at all.
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"event\":\"progress\",\"done\":1}\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        "",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n\n\n\r\n",
    ])
    func `a connection that breaks off is told as lost`(answer: String) throws {
        let server = try TinyServer { _, connection in
            connection.write(answer)
            return false
        }
        defer { server.stop() }
        #expect(
            code {
                _ = try client(server).work(
                    ControlRequest("POST", ["verify"]), as: VerifyAnswer.self
                ) {
                    _, _, _ in
                }
            } == .connectionLost)
    }

    @Test func `a daemon that says nothing is given up`() throws {
        let server = try TinyServer { _, connection in !connection.isClosed(within: 20_000) }
        defer { server.stop() }
        let request = ControlRequest("GET", ["status"], silence: .seconds(1))
        #expect(code { try client(server).command(request) } == .timedOut)
    }

    @Test func `a receiver that has had enough ends the transfer`() throws {
        let server = try TinyServer { _, connection in
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            while !connection.isClosed(within: 0) { connection.write("4\r\n{}\n\n\r\n") }
            return false
        }
        defer { server.stop() }
        let count = Mutex(0)
        let ended = try client(server).lines(ControlRequest("GET", ["watch"])) { _ in
            count.withLock {
                $0 += 1
                return $0 < 5
            }
        }
        #expect(!ended)
        #expect(count.withLock { $0 } == 5)
    }

    @Test func `other bytes than HTTP are not understood`() throws {
        let server = try TinyServer { _, connection in
            connection.write("SSH-2.0-OpenSSH_9.2\r\n")
            return false
        }
        defer { server.stop() }
        #expect(
            code { try client(server).command(ControlRequest("GET", ["rooms"])) } == .notUnderstood)
    }

    @Test func `no socket, a stale one and a file are told apart`() throws {
        let missing = "/tmp/shared-test-missing-\(getpid()).sock"
        let stale = "/tmp/shared-test-stale-\(getpid()).sock"
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #expect(TinyServer.bind(descriptor, stale) == 0)
        close(descriptor)
        defer { unlink(stale) }
        for (path, words) in [
            (missing, "no socket at \(missing)"), (stale, "left its socket"),
            ("/etc/hostname", "is not a socket"),
        ] {
            let problem = try #require(
                throws: Problem.self,
                performing: { try client(path).command(ControlRequest("GET", [])) })
            #expect(problem.code == .daemonNotReachable)
            #expect(problem.detail.contains(words))
            #expect(problem.hint != nil)
        }
    }

    @Test func `the second path is tried where the first has no daemon`() throws {
        let server = try TinyServer { _, connection in
            connection.answer("200 OK", "application/json", "[]")
            return true
        }
        defer { server.stop() }
        let directory = "/tmp/shared-test-run-\(getpid())"
        mkdir(directory, 0o700)
        mkdir("\(directory)/shared", 0o700)
        symlink(server.path, "\(directory)/shared/control.sock")
        defer {
            unlink("\(directory)/shared/control.sock")
            rmdir("\(directory)/shared")
            rmdir(directory)
        }
        let location = try SocketLocation(
            option: nil, environment: ["XDG_RUNTIME_DIR": directory])
        try ControlClient(location).command(ControlRequest("GET", ["rooms"]))
        #expect(server.requests.count == 1)
    }

    /// The code of the problem that `body` throws.
    private func code(_ body: () throws -> Void) -> ErrorCode? {
        do {
            try body()
            return nil
        } catch {
            return (error as? Problem)?.code
        }
    }
}
