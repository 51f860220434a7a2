internal import Dispatch
import ShareCore
import ShareCrypto
import ShareStore
import Synchronization

/// Opens the files of this device's rooms, and makes damaged ones anew. What lasts as long as a file
/// is large has a thread of its own; that nobody else comes to a room's file meanwhile, its turn
/// sees to (`inTurn`).
struct RoomOpening: Sendable {
    let identity: DeviceIdentity
    /// The identities that this device had before, whose unsealed entries are its own.
    let earlier: Set<DeviceKey>
    /// Where the files are.
    let folder: String
    let log: Log
    private let turns = RoomTurns()

    init(identity: DeviceIdentity, earlier: Set<DeviceKey>, folder: String, log: Log) {
        self.identity = identity
        self.earlier = earlier
        self.folder = folder
        self.log = log
    }

    /// Takes steps in which a room's file is opened or made anew, after those before have ended.
    /// What was known of the room before may not be so any more. In a turn there is no other one
    /// of the same room.
    func inTurn<Result>(
        of room: RoomID, isolation: isolated (any Actor)? = #isolation,
        _ steps: () async throws -> Result
    ) async rethrows -> Result {
        await turns.begin(room)
        defer { turns.end(room) }
        return try await steps()
    }

    // MARK: Names

    func path(of file: String) -> String { folder + "/" + file }

    /// The room that a file says it is; nil where it cannot be read as a room's.
    func room(of file: String) async throws -> RoomID? {
        let path = path(of: file)
        return try await OffPool.run { RoomStore.room(at: path) }
    }

    /// The name of the file that says of itself that it is this room's.
    func file(of room: RoomID) async throws -> String? {
        for file in files where try await self.room(of: file) == room { return file }
        return nil
    }

    /// The names of all files that may be rooms'.
    var files: [String] { Folder.names(in: folder).sorted().filter { $0.hasSuffix(".sqlite") } }

    // MARK: In a room's turn

    /// Opens a file.
    ///
    /// - Parameter founding: what an empty file, or a new one, becomes the room of.
    func open(_ file: String, founding: Batch? = nil) async throws -> RoomStore {
        let (path, identity, earlier) = (path(of: file), identity, earlier)
        let store = try await OffPool.run {
            try RoomStore(path: path, identity: identity, earlier: earlier, founding: founding)
        }
        if let kept = store.damagedLog {
            log.error(
                "a room's write-ahead log is damaged: what was committed last may be lost,"
                    + " and members give back what was sent",
                ["room": store.room.short, "kept": kept])
        }
        return store
    }

    /// A file of an earlier stay in the room goes on where it was. Of a damaged one all goes on that can
    /// be read: what was not sent is nowhere else. It is moved aside where that is nothing.
    func openOrReplace(
        _ file: String, founding: Batch
    ) async throws -> (store: RoomStore, isReplaced: Bool, lost: LostEntries) {
        do {
            return (try await open(file, founding: founding), false, LostEntries())
        } catch  where Self.isDamage(error) {
            do {
                let made = try await remake(file, of: founding.room, founding: founding) { _, _ in }
                return (try await open(file, founding: founding), true, made.lost)
            } catch  where Self.isDamage(error) {
                let path = path(of: file)
                let kept = try await OffPool.run { try RoomStore.moveAside(path: path) }
                log.warning(
                    "a damaged file makes way", ["room": founding.room.short, "kept": kept])
                return (try await open(file, founding: founding), true, LostEntries())
            }
        }
    }

    private static func isDamage(_ error: any Error) -> Bool {
        switch error {
        case StoreError.notARoom, StoreError.otherRoom, StoreError.damaged, StoreError.unfounded,
            StoreError.otherDevice, StoreError.unusable:
            true
        case let error as SQLiteError: error.isCorrupt || error.lacksSchema
        default: false
        }
    }

    /// Makes a room's file anew from what can be read of it.
    func remake(
        _ file: String, of room: RoomID, founding: Batch?,
        _ progress: @escaping @Sendable (Int, Int) -> Void
    ) async throws -> (kept: String?, lost: LostEntries, mayLackMembers: Bool) {
        let (path, identity, earlier) = (path(of: file), identity, earlier)
        let made = try await OffPool.run {
            try RoomStore.mend(
                path: path, room: room, identity: identity, earlier: earlier, founding: founding,
                progress: progress)
        }
        if let kept = made.kept {
            log.notice("a damaged room was made anew", ["room": room.short, "kept": kept])
        }
        return made
    }
}

/// Of those who want a room's file one has it, and the others wait, in the order in which they came.
private final class RoomTurns: Sendable {
    /// Who waits, of each room whose file somebody has.
    private let waiting = Mutex<[RoomID: [CheckedContinuation<Void, Never>]]>([:])

    func begin(_ room: RoomID) async {
        await withCheckedContinuation { continuation in
            let isFree = waiting.withLock { waiting in
                guard waiting[room] != nil else {
                    waiting[room] = []
                    return true
                }
                waiting[room]?.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    func end(_ room: RoomID) {
        let next = waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
            guard let first = waiting[room]?.first else {
                waiting[room] = nil
                return nil
            }
            waiting[room]?.removeFirst()
            return first
        }
        next?.resume()
    }
}

/// Work that blocks for long, on a thread of its own: small machines have two in the shared pool.
enum OffPool {
    static func run<Result: Sendable>(
        _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "long work").async {
                continuation.resume(with: Swift.Result { try work() })
            }
        }
    }
}
