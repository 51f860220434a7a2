import ShareControl
import ShareCore
import ShareCrypto
import ShareStore

/// A bundle on its way into a room: its batches go the way of those that a peer sends, and are
/// trusted no more.
struct BundleRead {
    private let services: BundleReading
    /// The room named by the user, into which a request is admitted; nil: the current one.
    private let named: String?
    private let mayJoin: Bool
    private var reader = BundleReader()
    private var header: BundleHeader?
    /// The room that the file is of, where it is here.
    private(set) var room: OpenRoom?
    /// Control batches of a room that is not here, until it is known whether it admits us.
    private var unjoined: [Batch] = []
    private var unjoinedBytes = 0
    private var group: [IncomingBatch] = []
    private var groupBytes = 0
    private var stated: (vector: Digest, digest: Digest)?
    private var names: [DeviceKey: String] = [:]
    /// How far each log goes in the file, of what is here now: no more than the room has.
    private var logs: [LogName: FileLog] = [:]
    /// Removed devices with batches in the file that lie past their cutoff.
    private var removed: Set<DeviceKey> = []
    /// The batches that lay past a cutoff as they came, and may lie before it by what follows in
    /// the file.
    private var pastCutoff: [IncomingBatch] = []
    private var pastCutoffBytes = 0
    private(set) var requests: [BundleRequest] = []
    private var firstDamage: String?
    private(set) var answer = BundleAnswer()

    /// Control batches of an unknown room, which are held in memory.
    private static let unjoinedLimit = 64 << 20
    /// Batches past a cutoff, as they lie in memory, that are looked at again when the file ends.
    private static let pastCutoffLimit = 64 << 20
    /// Names of devices that are kept until the file ends.
    private static let nameLimit = 4_096

    init(_ services: BundleReading, room named: String?, mayJoin: Bool) {
        self.services = services
        self.named = named
        self.mayJoin = mayJoin
    }

    /// Reads the whole file.
    ///
    /// - Throws: `Problem` where the file is not for this device; `HTTPStreamError` where the
    ///   upload breaks off. What was merged by then stays.
    mutating func read(_ upload: HTTPUpload) async throws {
        do {
            for try await piece in upload where answer.broken == nil {
                reader.append(piece)
                try await takeSteps()
            }
        } catch let error as HTTPStreamError {
            // What has come so far is as good as if the file ended here.
            try await flush()
            try await takeAgain()
            throw error
        }
        if answer.broken == nil {
            do throws(BundleError) {
                try reader.finish()
                answer.complete = answer.batches.damaged == 0
            } catch {
                answer.broken = error.description
            }
        }
        try await finish()
    }

    private mutating func takeSteps() async throws {
        while answer.broken == nil, let step = try nextStep() { try await take(step) }
    }

    private mutating func nextStep() throws -> BundleReader.Step? {
        do throws(BundleError) {
            return try reader.next()
        } catch {
            guard error != .notABundle, error != .noHeader else {
                throw Problem(
                    .badFile, "that cannot be read as a bundle: \(error)",
                    hint: "Bundles are written by `shared bundle write FILE`.")
            }
            answer.broken = error.description
            return nil
        }
    }

    private mutating func take(_ step: BundleReader.Step) async throws {
        switch step {
        case .damaged(let offset, _): noteDamage("what is at byte \(offset) cannot be read")
        case .item(.header(let header)): try await take(header)
        case .item(.device(let key, let name)):
            if names.count < Self.nameLimit { names[key] = name }
        case .item(.request(let request)):
            if request.isGenuine {
                if requests.count < BundleLimits.requests { requests.append(request) }
            } else {
                noteDamage("a request is not signed by the device that it names")
            }
        case .item(.batch(let bytes)): try await take(batch: bytes)
        case .item(.state(let vector, let digest)): stated = (vector, digest)
        case .item(.end): break
        }
    }

    /// Goes on behind what is damaged, as long as that is not too much.
    private mutating func noteDamage(_ what: String) {
        answer.batches.damaged += 1
        if answer.batches.damaged >= BundleLimits.damaged { answer.broken = what }
        if firstDamage == nil { firstDamage = what }
    }

    private mutating func take(_ header: BundleHeader) async throws {
        self.header = header
        answer.writer = await services.names.named(header.writer)
        guard let id = header.room else { return }
        room = await services.rooms.open(id)
        guard let named else { return }
        let wanted = try await services.rooms.resolve(named)
        guard wanted.id == id else {
            throw Problem(
                .badFile,
                "the file is of the room \(header.name) (\(id.short)), not \(wanted.name)",
                hint: "Leave --room away, or name that room.")
        }
    }

    // MARK: Batches

    private mutating func take(batch bytes: [UInt8]) async throws {
        answer.batches.inFile += 1
        let batch: Batch
        do throws(EnvelopeError) {
            batch = try Batch(verifying: bytes)
        } catch {
            return noteDamage("batch \(answer.batches.inFile) of the file is none: \(error)")
        }
        guard batch.room == header?.room else {
            answer.batches.refused += 1
            return
        }
        if room == nil {
            guard batch.kind == .control else {
                try await joinIfAdmitted()
                return try await add(batch)
            }
            unjoined.append(batch)
            unjoinedBytes += bytes.count
            guard unjoinedBytes <= Self.unjoinedLimit else {
                throw Problem(
                    .tooLarge, "the control logs of a room that is not here are too long")
            }
            return
        }
        try await add(batch)
    }

    private mutating func add(_ batch: Batch) async throws {
        let definitions = services.sync.definitions.definitions(of: batch.room)
        try await add(IncomingBatch(batch, definitions: definitions))
    }

    private mutating func add(_ incoming: IncomingBatch) async throws {
        group.append(incoming)
        groupBytes += incoming.size
        // As much in one transaction as of what comes from peers.
        guard group.count >= RoomMerger.groupCount || groupBytes >= RoomMerger.groupBytes else {
            return
        }
        try await flush()
    }

    private mutating func flush() async throws {
        guard let room, !group.isEmpty else { return }
        let taken = group
        group = []
        groupBytes = 0
        let outcomes = try await services.sync.takeIn(taken, of: room.id)
        let definitions = services.sync.definitions.definitions(of: room.id)
        for (batch, outcome) in zip(taken, outcomes) {
            note(outcome.fate)
            if [.stored, .known].contains(outcome.fate) { note(batch) }
            guard outcome.fate == .stored else { continue }
            if outcome.log.kind == .control {
                answer.accepted += outcome.accepted
                answer.decisions += outcome.accepted
            } else if outcome.accepted > 0 {
                let tally = batch.tally(definitions)
                let accepted = max(outcome.accepted - tally.parts, 1)
                answer.accepted += accepted
                answer.newEntries += min(tally.entries, accepted)
            }
            answer.waiting += Int(clamping: outcome.waiting)
            answer.refused += Int(clamping: outcome.refused)
        }
        var overflow: [IncomingBatch] = []
        for (batch, outcome) in zip(taken, outcomes) where outcome.fate == .pastCutoff {
            if pastCutoffBytes < Self.pastCutoffLimit {
                pastCutoff.append(batch)
                pastCutoffBytes += batch.size
            } else {
                overflow.append(batch)
            }
        }
        try await leaveOut(overflow)
    }

    /// Takes in once more what lay past a cutoff as it came, until none of it does any good: a
    /// decision that follows in the file may have undone the removal that made the cutoff.
    private mutating func takeAgain() async throws {
        var before = -1
        while !pastCutoff.isEmpty, before != answer.batches.new {
            before = answer.batches.new
            let again = pastCutoff
            pastCutoff = []
            pastCutoffBytes = 0
            answer.batches.leftOut -= again.count
            for batch in again { try await add(batch) }
            try await flush()
        }
        for first in stride(from: 0, to: pastCutoff.count, by: RoomMerger.groupCount) {
            let end = min(first + RoomMerger.groupCount, pastCutoff.count)
            try await leaveOut(Array(pastCutoff[first..<end]))
        }
    }

    /// Leaves batches past a cutoff out of the room, but for what an owner may want to accept.
    private mutating func leaveOut(_ batches: [IncomingBatch]) async throws {
        removed.formUnion(batches.map(\.batch.author))
        // Only an owner can accept records; its role may have come with this very file. Decisions
        // past a cutoff are revoked for good.
        let records = batches.filter { $0.batch.kind == .records }
        guard let room, !records.isEmpty, await services.rooms.role(in: room.id) == .owner
        else { return }
        try await keep(records, in: room)
    }

    /// Stores records past a cutoff, which count for nothing: whoever chose the file may want to
    /// accept them, and nobody but a file brings them.
    private mutating func keep(_ records: [IncomingBatch], in room: OpenRoom) async throws {
        let wanted = records.map { batch in
            var batch = batch
            batch.isWantedPastCutoff = true
            return batch
        }
        for outcome in try await services.sync.takeIn(wanted, of: room.id) {
            answer.batches.leftOut -= 1
            if outcome.fate == .stored {
                answer.batches.kept += 1
            } else {
                note(outcome.fate)
            }
        }
    }

    /// Notes that the file has a batch; those of a log come in its order.
    private mutating func note(_ incoming: IncomingBatch) {
        let batch = incoming.batch
        logs[batch.log, default: FileLog()].heads[batch.previous] = nil
        logs[batch.log]?.heads[batch.id] = batch.head
        logs[batch.log]?.operations += UInt64(incoming.body?.operationCount ?? 0)
    }

    private mutating func note(_ fate: MergeOutcome.Fate) {
        switch fate {
        case .stored: answer.batches.new += 1
        case .known: answer.batches.known += 1
        case .gap, .apart: answer.batches.waiting += 1
        case .pastCutoff: answer.batches.leftOut += 1
        case .dropped, .failed, .diskFull: answer.batches.refused += 1
        }
    }

    // MARK: A room that is not here

    /// Joins the room that the control batches are of, if they admit this device and the user
    /// wants it.
    private mutating func joinIfAdmitted() async throws {
        guard room == nil, let id = header?.room else { return }
        guard let preview = RoomPreview(unjoined), preview.founding.room == id,
            let founder = preview.authority.founder
        else {
            throw tooDamaged("does not tell who founded the room")
                ?? Problem(
                    .badFile, "the file does not tell who founded its room",
                    hint: "Have it written again: `shared bundle write FILE`.")
        }
        let role = preview.authority.currentRole(of: services.own.key)
        let label = header?.name ?? ""
        let name = label.isEmpty ? preview.name : label
        let what = "the room \(name) (\(id.short)), founded by \(founder.short)"
        guard let role else {
            throw tooDamaged("does not admit this device to \(what)")
                ?? Problem(
                    .notAMember, "this device is not in \(what), and the file does not admit it",
                    hint:
                        "Ask to be admitted: shared bundle write FILE --join, then carry that file"
                        + " to an owner.")
        }
        guard mayJoin else {
            let damaged = await services.rooms.allDamaged().first { $0.entry.id == id }
            if let damaged { throw RoomError.damaged(damaged) }
            throw Problem(
                .notAMember, "this device is not in \(what); the file admits it as \(role.name)",
                hint: "Join with: `shared bundle read FILE --join`.")
        }
        _ = try await services.rooms.beginJoining(
            JoinWelcome(
                room: id, founding: preview.founding.bytes, name: name, role: role),
            by: .invited)
        await services.rooms.startJoined(id)
        room = await services.rooms.open(id)
        for batch in unjoined { try await add(batch) }
        unjoined = []
        try await flush()
    }

    /// The reason why a damaged file is not joined by: a whole one may say what it leaves out.
    private func tooDamaged(_ what: String) -> Problem? {
        guard let damage = answer.broken ?? firstDamage else { return nil }
        return Problem(
            .badFile, "\(damage); what is left of it \(what), and nothing of it could be kept",
            hint: "Have it written again, and read the new file: `shared bundle write FILE`.")
    }

    // MARK: The end

    private mutating func finish() async throws {
        if room == nil { try await joinIfAdmitted() }
        try await flush()
        try await takeAgain()
        if let room {
            if room.isJoining, await services.rooms.role(in: room.id) != nil {
                answer.joined = true
                await services.rooms.setJoined(room.id)
                await services.advertising.refresh()
            }
            answer.room = NamedRoom(name: room.name, id: room.id.text)
            let authority = await room.store.authority()
            await services.membership.refresh(room)
            await services.reach.note(names.filter { authority.currentRole(of: $0.key) != nil })
            if let writer = header?.writer { answer.writer = await services.names.named(writer) }
            answer.role = authority.currentRole(of: services.own.key)?.name
            for author in removed.sorted() {
                var device = await services.names.named(author)
                // Who is no member any more is called what the file calls it, here alone.
                if device.name == author.short { device.name = names[author] ?? device.name }
                answer.removed.append(device)
            }
            if let founder = authority.founder {
                answer.founder = await services.names.named(founder)
            }
            await noteHeld(in: room, authority)
            if let stated, case let view = try await room.store.view(), !view.isReapplying {
                answer.identical = view.vector == stated.vector
                answer.digestDiffers =
                    view.vector == stated.vector && view.digest != stated.digest
            }
            // Where no member is in reach, a file is all that can give back what was lost.
            if tellsOwnLog(authority), await services.sync.linkedKeys(in: room.id).isEmpty {
                try await services.rooms.noteRefilled(room.id)
            }
        }
        if answer.broken == nil, let firstDamage { answer.broken = firstDamage }
    }

    /// Whether the file has what others hold of this device's own logs, as far as one file can tell:
    /// all that somebody else has who reads all, or, where nobody else does, who else there is. A
    /// file that is for one contributor states no state.
    private func tellsOwnLog(_ authority: Authority) -> Bool {
        guard answer.complete, stated != nil, let writer = header?.writer else { return false }
        let others = authority.members.filter { $0.device != services.own.key }
        guard writer != services.own.key else { return others.isEmpty }
        let knowing = others.filter(\.role.readsAll).map(\.device)
        return knowing.isEmpty || knowing.contains(writer)
    }

    /// The writer of a whole file, which its signature proves, has what is in it.
    private func noteHeld(in room: OpenRoom, _ authority: Authority) async {
        guard answer.complete, let writer = header?.writer, writer != services.own.key,
            authority.currentRole(of: writer) != nil
        else { return }
        let own = LogName(author: services.own.key, kind: .records)
        if let held = logs[own] { await room.store.noteHeld([own: held.state.heads], by: writer) }
        await services.sync.noteRead(logs.mapValues(\.state), by: writer, in: room.id)
        await services.meetings.save(writer)
    }
}

/// How far a log goes in a file.
private struct FileLog {
    /// The batches that none in the file follows.
    var heads: [BatchID: LogHead] = [:]
    var operations: UInt64 = 0

    var state: LogState { LogState(heads: heads.values.sorted(), operations: operations) }
}

extension IncomingBatch {
    /// What it comes to for people: a row of a repeat is a part of an entry.
    fileprivate func tally(_ definitions: [OperationName: FormDefinition]) -> EntryTally {
        EntryTally(
            body?.records ?? [],
            repeats: Set(definitions.filter { $0.value.isRepeat }.keys), entry: { _, _ in nil })
    }
}
