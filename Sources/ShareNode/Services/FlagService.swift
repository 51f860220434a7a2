import ShareCore
import ShareForms
import ShareStore
import Synchronization

/// Knows which entries break the form in force, or are flagged by it, wherever they come from: it
/// follows the rows of a room beside the writer, and goes on when something has changed.
actor FlagService {
    private let rooms: RoomBook
    private let schemas: SchemaCache
    private let surroundings: EntrySurroundings
    private let log: Log
    private var followers = PerRoom<RowFollower<FlagDerivation>>()
    private var counts: [RoomID: [String: Int]] = [:]
    private var following: Set<RoomID> = []
    /// Rooms in which something has changed meanwhile.
    private var again: Set<RoomID> = []

    /// A room is looked at when nothing has changed in it for so long, or else after the longest
    /// wait: what is entered, sent and received goes first.
    private static let quiet = Duration.seconds(1)
    private static let longestWait = Duration.seconds(30)
    /// The follower gives way between two steps.
    private static let rest = Duration.milliseconds(20)
    /// Who asks for entries that break their form waits for so long until all are looked at.
    private static let patience = Duration.seconds(5)

    init(
        rooms: RoomBook, schemas: SchemaCache, surroundings: EntrySurroundings, log: Log
    ) {
        self.rooms = rooms
        self.schemas = schemas
        self.surroundings = surroundings
        self.log = log
    }

    /// How many entries of each form are known to break it.
    func invalid(in room: RoomID) -> [String: Int] { counts[room] ?? [:] }

    /// Whether anything has been looked at in a room since the start.
    func isBegun(_ room: RoomID) -> Bool { counts[room] != nil }

    /// Something has changed in a room: what there is to say of it follows.
    func noteChange(of id: RoomID) {
        guard following.insert(id).inserted else {
            again.insert(id)
            return
        }
        Task { await follow(id) }
    }

    /// Looks at the entries of a room that nobody has looked at.
    ///
    /// - Returns: false where some are left after a few seconds; they follow.
    func isUpToDate(_ room: OpenRoom) async throws -> Bool {
        let deadline = ContinuousClock.now + Self.patience
        let forms = await followed(in: room)
        let follower = follower(of: room)
        while try await follower.step(forms) {
            guard .now < deadline else {
                noteChange(of: room.id)
                return false
            }
        }
        counts[room.id] = try await follower.invalid(forms)
        return true
    }

    // MARK: Following

    private func follow(_ id: RoomID) async {
        var waiting = ContinuousClock.now
        repeat {
            again.remove(id)
            try? await Task.sleep(for: Self.quiet)
            if mustWait(id, since: waiting) { continue }
            guard let room = await rooms.open(id) else { break }
            let forms = await followed(in: room)
            // Most rooms have forms that ask for nothing: there nothing is kept either.
            guard !forms.isEmpty || followers.has(room) else { continue }
            let follower = follower(of: room)
            do {
                var isLeft = true
                while isLeft, !mustWait(id, since: waiting) {
                    isLeft = try await follower.step(forms)
                    try await Task.sleep(for: Self.rest)
                }
                if isLeft { continue }
                counts[id] = try await follower.invalid(forms)
            } catch {
                // The next change tries again.
                log.warning(
                    "entries were not checked", ["room": id.short, "error": "\(error)"])
            }
            await follower.close()
            waiting = .now
        } while again.contains(id)
        following.remove(id)
    }

    /// Whether something has changed meanwhile, and the wait has not been long.
    private func mustWait(_ id: RoomID, since start: ContinuousClock.Instant) -> Bool {
        again.contains(id) && .now - start < Self.longestWait
    }

    /// The forms that ask more of their entries than types, with those of their repeats.
    private func followed(in room: OpenRoom) async -> [FormInfo] {
        let forms = await room.store.forms()
        let roots = Set(
            forms.filter { KeptEntryCheck.isNeeded(for: schemas.schema(of: $0)) }.map(\.formID))
        return forms.filter { roots.contains(FormDefinition.outermostForm(of: $0.formID)) }
    }

    private func follower(of room: OpenRoom) -> RowFollower<FlagDerivation> {
        followers.value(of: room) {
            counts[room.id] = nil
            let (schemas, surroundings) = (schemas, surroundings)
            return RowFollower(
                path: room.store.path,
                FlagDerivation { form in
                    let check = Mutex(KeptEntryCheck(schemas.schema(of: form), surroundings))
                    return { row in try check.withLock { try $0.flag(row) } }
                } lists: {
                    schemas.lists(of: $0)
                })
        }
    }
}
