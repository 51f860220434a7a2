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
    /// Takes batches into the room that the file is of, where it is here.
    private var merge: BundleMerge?
    var room: OpenRoom? { merge?.room }
    /// Control batches of a room that is not here, until it is known whether it admits us.
    private var unjoined: [Batch] = []
    private var unjoinedBytes = 0
    private var stated: (vector: Digest, digest: Digest)?
    private var names: [DeviceKey: String] = [:]
    private(set) var requests: [BundleRequest] = []
    private var firstDamage: String?
    private(set) var answer = BundleAnswer()

    /// Control batches of an unknown room, which are held in memory.
    private static let unjoinedLimit = 64 << 20
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
            try await merge?.end(&answer)
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
        await open(id)
        guard let named else { return }
        let wanted = try await services.rooms.resolve(named)
        guard wanted.id == id else {
            throw Problem(
                .badFile,
                "the file is of the room \(header.name) (\(id.short)), not \(wanted.name)",
                hint: "Leave --room away, or name that room.")
        }
    }

    private mutating func open(_ id: RoomID) async {
        merge = await services.rooms.open(id).map { BundleMerge(into: $0, through: services) }
    }

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
        if merge == nil {
            guard batch.kind == .control else {
                try await joinIfAdmitted()
                try await merge?.add(batch, &answer)
                return
            }
            unjoined.append(batch)
            unjoinedBytes += bytes.count
            guard unjoinedBytes <= Self.unjoinedLimit else {
                throw Problem(
                    .tooLarge, "the control logs of a room that is not here are too long")
            }
            return
        }
        try await merge?.add(batch, &answer)
    }

    // MARK: A room that is not here

    /// Joins the room that the control batches are of, if they admit this device and the user
    /// wants it.
    private mutating func joinIfAdmitted() async throws {
        guard merge == nil, let id = header?.room else { return }
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
        await open(id)
        for batch in unjoined { try await merge?.add(batch, &answer) }
        unjoined = []
        try await merge?.flush(&answer)
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
        if merge == nil { try await joinIfAdmitted() }
        try await merge?.end(&answer)
        if let merge {
            let room = merge.room
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
            for author in merge.removed.sorted() {
                var device = await services.names.named(author)
                // Who is no member any more is called what the file calls it, here alone.
                if device.name == author.short { device.name = names[author] ?? device.name }
                answer.removed.append(device)
            }
            if let founder = authority.founder {
                answer.founder = await services.names.named(founder)
            }
            await noteHeld(merge.logs, in: room, authority)
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
    private func noteHeld(
        _ logs: [LogName: LogState], in room: OpenRoom, _ authority: Authority
    ) async {
        guard answer.complete, let writer = header?.writer, writer != services.own.key,
            authority.currentRole(of: writer) != nil
        else { return }
        let own = LogName(author: services.own.key, kind: .records)
        if let held = logs[own] { await room.store.noteHeld([own: held.heads], by: writer) }
        await services.sync.noteRead(logs, by: writer, in: room.id)
        await services.meetings.save(writer)
    }
}
