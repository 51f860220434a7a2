internal import CMalloc
import Glibc
import ShareControl
import ShareCore
import ShareCrypto
import ShareNet
import ShareStore

/// `sharedd`: a node behind a control socket, from its start to its end.
package enum Daemon {
    /// What a command line asks for.
    package enum Start: Sendable {
        /// It was answered; this is the exit code.
        case answered(Int32)
        case run(DaemonOptions)
    }

    /// Reads the command line, and answers what needs no daemon. No other thread is begun for that:
    /// libdispatch's end the process where there is no `/proc`.
    package static func start(
        _ arguments: [String], environment: [String: String]
    ) -> Start {
        do throws(UsageError) {
            switch try DaemonOptions.parse(
                arguments, environment: environment, config: { Folder.text(in: $0) })
            {
            case .help:
                print(DaemonOptions.help, terminator: "")
                return .answered(0)
            case .version:
                print("sharedd \(Release.version)")
                return .answered(0)
            case .run(let options): return .run(options)
            }
        } catch {
            complain(error.lines)
            return .answered(UsageError.exitCode)
        }
    }

    /// Works until a signal comes, and returns the exit code.
    package static func run(_ options: DaemonOptions) async -> Int32 {
        do {
            try await work(options)
            return 0
        } catch {
            let failure = StartFailure(error, options)
            complain("sharedd: error: \(failure.text)\nsharedd: hint: \(failure.hint)\n")
            return failure.isFinal ? StartFailure.finalCode : 1
        }
    }

    private static func work(_ options: DaemonOptions) async throws {
        MemoryUse.limit()
        // What is made from here on is for this user alone; the socket is opened to its group by hand.
        umask(0o077)
        // Avahi's layer warns of itself; while there are no other threads that read the environment.
        setenv("AVAHI_COMPAT_NOWARN", "1", 1)
        await Descriptors.prepare()
        let log = Log(level: options.logLevel)
        let signals = SignalTrap()
        let data = try DataDirectory(path: options.data)
        defer { data.close() }
        // The socket comes before the node: it is where a second daemon finds the first.
        let socket = try controlSocket(options)
        defer { socket.close() }
        var setup = Node.Setup(data: data, name: options.name ?? hostName(), log: log)
        setup.listen = options.listen
        setup.peers = options.peers
        setup.discovers = options.discovers
        let supervision = Supervision()
        var ending: Ending
        let (endings, end) = AsyncStream.makeStream(of: Ending.self)
        Task { end.yield(.signal(await signals.wait())) }
        repeat {
            supervision.starts()
            let node = try await Node(setup)
            ending = try await serve(node, socket, supervision, endings, end)
        } while ending.isRenewal
    }

    /// Why a node stops.
    enum Ending: Sendable {
        case signal(Int32)
        /// It has another identity now, and begins anew.
        case renewal
        /// Its work is over, whether it was asked to stop or not.
        case over(Node)

        var isRenewal: Bool { if case .renewal = self { true } else { false } }
    }

    /// A node whose work was over before anybody asked it to stop: it takes no connections any more,
    /// or does not follow what its sessions tell.
    struct EndedUnasked: Error {}

    /// Runs a node to its end, which is a signal, or another identity.
    ///
    /// - Throws: `EndedUnasked`; what `HTTPServer.start` does.
    static func serve(
        _ node: Node, _ socket: ControlSocket, _ supervision: Supervision,
        _ endings: AsyncStream<Ending>, _ end: AsyncStream<Ending>.Continuation
    ) async throws -> Ending {
        let log = node.log
        let server = HTTPServer(
            router: ControlRoutes(node: node).router(), version: Release.version,
            alarm: node.alarm)
        try server.start(on: socket.descriptor)
        let running = Task {
            await node.run()
            end.yield(.over(node))
        }
        let renewing = Task {
            for await _ in node.rotation.restarts {
                server.quiesce()
                node.rotation.noteRestart()
                end.yield(.renewal)
            }
        }
        let watchdog = Watchdog(sync: node.sync, rooms: node.rooms)
        supervision.startWatchdog { watchdog.isBeating() }
        supervision.ready(
            status: "sharing as \(node.own.name) on port \(node.listener.endpoint.port)")
        log.notice(
            "started",
            [
                "name": node.own.name, "device": node.own.key.short,
                "listen": node.listener.endpoint.text, "data": node.data.path,
            ])
        await noteUnsent(in: node, log)

        var ending = Ending.signal(0)
        for await next in endings {
            // An earlier node, which had another identity, was asked to.
            if case .over(let other) = next, other !== node { continue }
            ending = next
            break
        }
        switch ending {
        case .signal(let number):
            log.notice("stopping", ["signal": "\(number)"])
            supervision.stopping()
        case .renewal: log.notice("starting anew with another identity")
        case .over:
            log.error("the work of this device has ended unasked: stopping")
            supervision.stopping()
            // Should that hang too, the service manager puts an end to it.
            supervision.stopWatchdog()
        }
        // In the reverse order of the start: nobody may ask for what is gone already.
        node.endStreams()
        await server.stop()
        await node.stop()
        renewing.cancel()
        running.cancel()
        await running.value
        supervision.stopWatchdog()
        if case .over = ending { throw EndedUnasked() }
        return ending
    }

    /// Says of each room what was entered before the start and waits for somebody's push.
    private static func noteUnsent(in node: Node, _ log: Log) async {
        for room in await node.rooms.all() where !room.autopush {
            guard let counts = try? await room.store.counts().inEntries else { continue }
            let unsent = counts.unsealed
            guard unsent > 0 else { continue }
            let entries = min(counts.pendingEntries, unsent)
            log.notice(
                "not sent yet: shared push",
                [
                    "room": room.name, "entries": "\(entries)",
                    "changes": "\(unsent - entries)",
                ])
        }
    }

    private static func controlSocket(
        _ options: DaemonOptions
    ) throws(ControlSocketError) -> ControlSocket {
        if let passed = Supervision.listeningSockets().first {
            return try ControlSocket(adopting: passed)
        }
        return try ControlSocket(
            path: options.socket, access: options.socketGroup.map { .group($0) } ?? .owner)
    }

    private static func hostName() -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return "device" }
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let name = String(decoding: bytes, as: UTF8.self).split(separator: ".").first ?? ""
        return name.isEmpty ? "device" : String(name)
    }

    private static func complain(_ text: String) {
        var text = text
        text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}

/// Why the daemon could not start, or go on, in words and with what to do about it.
struct StartFailure {
    let text: String
    let hint: String
    /// Whether another start would fail in the same way until somebody has seen to it.
    let isFinal: Bool

    /// The exit code then; the service manager does not start it again.
    static let finalCode: Int32 = 4

    init(_ error: any Error, _ options: DaemonOptions) {
        isFinal =
            switch error {
            case StoreError.newerSchema, StoreError.olderSchema: true
            case let error as SQLiteError: error.isCorrupt
            case DataDirectoryError.damagedIdentity, DataDirectoryError.exposedIdentity: true
            default: false
            }
        switch error {
        case is Daemon.EndedUnasked:
            text = "this device took no connections any more, or did not follow them"
            hint = "Start it again; what it logged before this may say why."
        case let error as DataDirectoryError:
            text = error.description
            hint = error.hint
        case let error as ControlSocketError:
            text = error.description
            hint = error.hint
        case TransportError.addressInUse(let address):
            text = "\(address) is in use by another program"
            hint = "Choose another with --listen ADDR:PORT, or leave it out to take any free port."
        case let error as TransportError:
            text = "listening failed: \(error)"
            hint = "Look at the address given with --listen."
        case StoreError.newerSchema(let found, let known):
            text =
                "the data in \(options.data) was written by a newer release"
                + " (schema \(found), this one knows \(known))"
            hint = "Install the newer release again; nothing was changed."
        case let error as SQLiteError where error.isCorrupt:
            text = "a file in \(options.data) is damaged: \(error.message)"
            hint = "Put it aside and join the room again; other devices hold its entries."
        case let error as SQLiteError where error.isDiskFull:
            text = "the disk is full"
            hint = "Make room, then start again; nothing was lost."
        case let error as SQLiteError:
            text = "the data in \(options.data) cannot be opened: \(error.message)"
            hint = "Look at the permissions of the folder and its files."
        default:
            text = "\(error)"
            hint = "Start with --log-level debug to see more."
        }
    }
}

/// Keeps what the C library holds on to in bounds: a device with little memory needs it for
/// other things once a large transfer is over.
enum MemoryUse {
    /// Blocks above this size go back to the system as soon as they are freed. A fixed value, as
    /// glibc otherwise raises it with each such block up to 32 MiB.
    private static let mapped: Int32 = 128 << 10
    /// Each further arena keeps what it has freed to itself.
    private static let arenas: Int32 = 2

    /// To be called before the first large allocation.
    static func limit() {
        mallopt(M_MMAP_THRESHOLD, mapped)
        mallopt(M_ARENA_MAX, arenas)
    }
}
