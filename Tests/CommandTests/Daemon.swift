import Foundation
import JSON
import ShareControl
import ShareTestKit
import Synchronization
import Testing

/// A `sharedd` with a folder, a socket and a port of its own; ended with this object.
final class Daemon: Sendable {
    let name: String
    let folder: ScratchFolder
    private let options: Mutex<[String]>
    private let running = Mutex<ChildProcess?>(nil)
    private let held = Mutex<HeldPort?>(nil)

    /// Starts it, on a copy of another's data where one is given; it is told of `peers` by their
    /// addresses.
    init(
        _ name: String = "ward-1", peers: [Daemon] = [], copy: DataCopy? = nil, _ more: String...
    ) async throws {
        self.name = name
        folder = try ScratchFolder()
        if let copy {
            try FileManager.default.copyItem(atPath: copy.path, toPath: folder.path + "/data")
        }
        options = Mutex(peers.flatMap { ["--peer", $0.address] } + more)
        try await start()
    }

    deinit {
        guard let child = running.withLock({ $0 }) else { return }
        // The folder goes when nobody writes into it any more.
        child.afterwards { [folder] in _ = folder }
        child.signal(SIGKILL)
    }

    var data: String { folder.path + "/data" }
    var socket: String { folder.path + "/s" }
    var port: UInt16 { held.withLock { $0?.number } ?? 0 }
    var address: String { "127.0.0.1:\(port)" }
    var log: String { (try? String(contentsOfFile: folder.path + "/log", encoding: .utf8)) ?? "" }
    var processID: Int32 { running.withLock { $0?.pid ?? 0 } }
    var isRunning: Bool { running.withLock { $0.map { $0.code == nil } ?? false } }

    /// The file of the room of that name.
    func file(_ room: String = "clinic") throws -> String {
        let names = try FileManager.default.contentsOfDirectory(atPath: data + "/rooms")
        let found = names.first { $0.hasPrefix(room + "-") && $0.hasSuffix(".sqlite") }
        return "\(data)/rooms/\(try #require(found, "no file of \(room)"))"
    }

    /// Writes a file beside its data, in folders that are made where they are not there; returns its
    /// path.
    func write(_ text: String, _ name: String) throws -> String {
        let path = folder.path + "/" + name
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    // MARK: Start and end

    /// Starts it with other options.
    func start(with options: [String]) async throws {
        self.options.withLock { $0 = options }
        try await start()
    }

    /// Starts it, at the port that it had before.
    func start(withPeers: Bool = true) async throws {
        if !withPeers { options.withLock { $0 = [] } }
        for _ in 0..<8 {
            let before = held.withLock { $0 }
            let port = try before ?? HeldPort()
            let child = try await launch(
                ["--listen", "127.0.0.1:\(port.number)", "--no-discovery"]
                    + options.withLock { $0 })
            running.withLock { $0 = child }
            let began = await eventually {
                if child.code != nil { return true }
                // A command is a process: none is started before somebody listens.
                guard Listener.isThere(at: self.socket) else { return false }
                return (try? await self.shared("status").code) == 0
            }
            if child.code == nil {
                try #require(began, "\(name) did not start: \(log)")
                held.withLock { $0 = port }
                return
            }
            try #require(before == nil && log.contains("in use"), "\(name) ended: \(log)")
        }
        throw HeldPort.NoneFree()
    }

    /// Starts a `sharedd` on this folder and socket with exactly these further options.
    func launch(_ arguments: [String]) async throws -> ChildProcess {
        var launch = ChildProcess.Launch(
            try Product.path("sharedd"),
            ["--data", data, "--socket", socket, "--name", name] + arguments)
        launch.errors = folder.path + "/log"
        return try await ChildProcess.start(launch)
    }

    /// Ends it as a power cut does.
    func kill() async {
        let child = running.withLock { $0 }
        child?.signal(SIGKILL)
        await child?.end()
    }

    /// Sends it a signal that does not end it.
    func signal(_ number: Int32) { running.withLock { $0 }?.signal(number) }

    /// Stops it, until SIGCONT: one thread takes the signal, and others run until it has.
    func freeze() async throws {
        signal(SIGSTOP)
        let tasks = "/proc/\(processID)/task"
        let isStopped = await eventually {
            let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
            return threads.allSatisfy { thread in
                let stat = try? String(contentsOfFile: "\(tasks)/\(thread)/stat", encoding: .utf8)
                // What stands behind the name, which is in brackets.
                return stat?.split(separator: ")").last?.hasPrefix(" T") ?? true
            }
        }
        try #require(isStopped)
    }

    /// Asks it to end, and returns its exit code.
    @discardableResult
    func end(with signal: Int32) async -> Int32? {
        let child = running.withLock { $0 }
        child?.signal(signal)
        return await child?.end(within: .seconds(30))
    }

    func terminate() async {
        let code = await end(with: SIGTERM)
        #expect(code == 0, "\(log)")
    }

    // MARK: Commands

    /// Runs `shared` against it, with a folder for drafts of its own.
    func shared(_ arguments: String..., input: String? = nil) async throws -> CommandRun {
        try await shared(arguments, input: input)
    }

    func shared(_ arguments: [String], input: String? = nil) async throws -> CommandRun {
        try await CommandRun(
            program: Product.path("shared"), arguments,
            environment: ["SHARED_SOCKET": socket, "XDG_STATE_HOME": folder.path + "/state"],
            input: input, limit: .seconds(120))
    }

    /// What the command answers with `--json`; it must end with 0 and say nothing else.
    func answer(
        _ arguments: String..., input: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> JSONValue {
        let run = try await shared(arguments + ["--json"], input: input)
        try #require(
            run.code == 0, "\(name): \(arguments): \(run.errors)", sourceLocation: sourceLocation)
        #expect(run.errors == "", sourceLocation: sourceLocation)
        return try JSONValue(text: Array(run.output.utf8))
    }

    /// Runs `shared watch` against it, which tells of entries made here until it tells of one: from
    /// then on it misses nothing.
    func watch(_ arguments: String...) async throws -> RunningCommand {
        let watch = try await RunningCommand(["watch"] + arguments, socket: socket)
        let hasBegun = await eventually {
            _ = try? await self.add("while waiting for watch")
            return watch.output.contains("\n")
        }
        try #require(hasBegun, "\(log)")
        return watch
    }

    /// The first room of its status.
    func status() async throws -> JSONValue { try await answer("status")["rooms"][0] }
}
