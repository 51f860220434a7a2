import ShareNet
import ShareNode
import Testing

struct DaemonOptionsTests {
    private let home = ["HOME": "/home/ada"]

    private func parse(
        _ arguments: [String], _ environment: [String: String]? = nil
    ) throws -> DaemonOptions? {
        let command = try DaemonOptions.parse(
            arguments, environment: environment ?? home, user: 1000)
        guard case .run(let options) = command else { return nil }
        return options
    }

    @Test func `the defaults are the user's folders`() throws {
        let plain = try #require(try parse([]))
        #expect(plain.data == "/home/ada/.local/share/shared")
        #expect(plain.socket == "/run/user/1000/shared/control.sock")
        #expect(plain.socketGroup == nil)
        #expect(plain.listen == nil && plain.discovers && plain.logLevel == .notice)
        let base = ["XDG_DATA_HOME": "/d/", "XDG_RUNTIME_DIR": "/r", "HOME": "/h"]
        let xdg = try #require(try parse([], base))
        #expect(xdg.data == "/d/shared" && xdg.socket == "/r/shared/control.sock")
        let relative = try #require(try parse([], ["XDG_DATA_HOME": "d", "HOME": "/h"]))
        #expect(relative.data == "/h/.local/share/shared")
    }

    @Test func `a service has the folders of its manager, and its group`() throws {
        let environment = [
            "STATE_DIRECTORY": "/var/lib/shared:/x", "RUNTIME_DIRECTORY": "/run/shared",
        ]
        let options = try #require(try parse([], environment))
        #expect(options.data == "/var/lib/shared")
        #expect(options.socket == "/run/shared/control.sock")
        #expect(options.socketGroup == "shared")
    }

    @Test func `every option is read`() throws {
        let options = try #require(
            try parse([
                "--data", "/d", "--socket=/s", "--listen", "[::1]:0", "--name", "ward-1",
                "--peer", "10.0.0.1:47117", "--peer=[fe80::1%eth0]:5", "--no-discovery",
                "--log-level", "debug",
            ]))
        #expect(options.data == "/d" && options.socket == "/s")
        #expect(options.listen == Endpoint(host: "::1", port: 0))
        #expect(options.name == "ward-1")
        #expect(options.peers.map(\.description) == ["10.0.0.1:47117", "[fe80::1%eth0]:5"])
        #expect(!options.discovers && options.logLevel == .debug)
        #expect(try DaemonOptions.parse(["--help"], environment: [:]) == .help)
        #expect(try DaemonOptions.parse(["--version"], environment: [:]) == .version)
    }

    @Test(arguments: [
        ["--nonsense"], ["stray"], ["--data"], ["--data", ""], ["--data", "--no-discovery"],
        ["--data", "/a", "--data", "/b"], ["--listen", "47117"], ["--listen", "a:b"],
        ["--listen", "1.2.3.4:65536"], ["--listen", "::1:5"], ["--listen", "[1.2.3.4]:5"],
        ["--peer", "host:0"], ["--peer", ":5"], ["--peer", "a b:5"],
        ["--peer", "host:+5"], ["--log-level", "loud"], ["--no-discovery=yes"],
        ["--name", String(repeating: "ä", count: 32)], ["--name", "a\nb"],
        ["--name", "a\u{202E}b"],
        ["--socket", "/" + String(repeating: "s", count: 107)],
    ])
    func `a bad argument is told in two lines`(arguments: [String]) throws {
        let error = #expect(throws: UsageError.self) { try parse(arguments) }
        let lines = error?.lines.split(separator: "\n") ?? []
        #expect(lines.first?.hasPrefix("sharedd: error: ") == true)
        #expect(lines.last?.hasPrefix("sharedd: hint: ") == true)
    }

    @Test func `a peer without a port has the usual one`() throws {
        let options = try #require(try parse(["--peer", "10.0.0.1", "--peer", "[fe80::1%eth0]"]))
        #expect(options.peers.map(\.description) == ["10.0.0.1:47117", "[fe80::1%eth0]:47117"])
    }

    @Test func `a port alone is one of every address`() throws {
        let options = try #require(try parse(["--listen", ":5001"]))
        #expect(options.listen == Endpoint(host: "*", port: 5001))
    }

    @Test func `a configuration file is read, and options win`() throws {
        func parse(_ arguments: [String], _ text: String) throws -> DaemonOptions? {
            var files: [String] = []
            let command = try DaemonOptions.parse(
                arguments, environment: ["HOME": "/home/ada"]
            ) {
                files.append($0)
                return text
            }
            #expect(files == ["/home/ada/.config/shared/config"])
            guard case .run(let options) = command else { return nil }
            return options
        }
        let text = """
            # of this ward
            name = ward-1
            listen = 0.0.0.0:5001   # fixed
            peers = 10.0.0.1 10.0.0.2:5002

            discovery = off
            log-level = info
            """
        let read = try #require(try parse([], text))
        #expect(read.name == "ward-1" && read.listen?.port == 5001 && !read.discovers)
        #expect(read.logLevel == .info)
        #expect(read.peers.map(\.description) == ["10.0.0.1:47117", "10.0.0.2:5002"])
        let won = try #require(
            try parse(["--name", "ward-2", "--peer", "10.0.0.9", "--log-level", "notice"], text))
        #expect(won.logLevel == .notice)
        #expect(won.name == "ward-2" && won.peers.map(\.host) == ["10.0.0.9"])
        for (line, words) in [
            ("nmae = x", "unknown key nmae, in line 1"), ("name", "line 1 of /home/ada"),
            ("discovery = maybe", "on or off"), ("peers = :5", "is not an address"),
        ] {
            let error = #expect(throws: UsageError.self) { try parse([], line) }
            #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        }
    }

    @Test func `without a home the data directory must be named`() throws {
        #expect(throws: UsageError.self) { try parse([], [:]) }
        #expect(try parse(["--data", "/d"], [:])?.data == "/d")
    }
}
