import ShareControl
import ShareCore
import ShareCrypto
import ShareStore

/// Finds identities that are in two hands, and tells what that has done to logs.
struct DeviceFaults: Sendable {
    let own: OwnDevice
    let names: DeviceNames
    let sync: SyncService
    let log: Log

    /// The identities of these rooms' members that run on two machines, and the logs of members
    /// that have forked.
    func all(in rooms: [OpenRoom]) async -> [DeviceFault] {
        var faults: [DeviceFault] = []
        var members: Set<DeviceKey> = [own.key]
        for room in rooms {
            members.formUnion(await room.store.authority().members.map(\.device))
            faults += await forks(in: room).filter { fault in
                members.contains { $0.text == fault.device.id }
            }
        }
        var duplicates: [DeviceFault] = []
        for key in await sync.duplicateIdentities().sorted() where members.contains(key) {
            duplicates.append(await duplicate(key))
        }
        return duplicates + faults
    }

    /// The logs of a room that have forked, also those of former members.
    func forks(in room: OpenRoom) async -> [DeviceFault] {
        var faults: [DeviceFault] = []
        do {
            for fork in try await room.store.forks() {
                faults.append(await fault(fork, in: room))
            }
        } catch {
            log.error("reading the store failed", ["room": room.id.short, "error": "\(error)"])
        }
        return faults
    }

    private func fault(_ fork: LogFork, in room: OpenRoom) async -> DeviceFault {
        let device = await names.named(fork.log.author)
        let log = fork.log.kind.name
        let numbers = fork.numbers.map { "\($0)" }.joined(separator: ", ")
        let word = fork.numbers.count == 1 ? "number" : "numbers"
        let who = await names.called(fork.log.author)
        let what =
            "\(who) has written twice at one place (\(log) log, \(word) \(numbers))"
        let isOwn = fork.log.author == own.key
        let remedy =
            "It was restored from a backup, or its identity is on two machines. "
            + (isOwn
                ? "If another machine still uses this identity, run `shared identity new` on one."
                : "If two machines still use it, run `shared identity new` on one of them.")
        return DeviceFault(
            kind: "forked_log", device: device, room: room.name, log: log,
            numbers: fork.numbers.map { Int(clamping: $0) }, branches: fork.branches,
            refused: fork.isRefused,
            detail: fork.isRefused
                ? what + "; with \(fork.branches) branches nothing of the log counts any more"
                : what + "; all branches count",
            hint: await fork.isRefused ? saying(fork, in: room) + " " + remedy : remedy)
    }

    private func saying(_ fork: LogFork, in room: OpenRoom) async -> String {
        guard fork.log.kind == .control else {
            return "An owner says what counts: `shared accept \(fork.log.author.short)`."
        }
        return "Forms and members that it added are gone for everybody, until that is said: "
            + (await remedy(forBranchesOf: fork.log.author, in: room)) + "."
    }

    /// The member that says which branches of a control log count, and with what command.
    func remedy(forBranchesOf device: DeviceKey, in room: OpenRoom) async -> String {
        let authority = await room.store.authority()
        guard let role = authority.currentRole(of: device) else {
            return "its control log has too many branches, and it is no member any more"
        }
        let rank = authority.rank(of: device) ?? .max
        let hasOther = authority.owners.contains {
            $0 != device && (role != .owner || (authority.rank(of: $0) ?? .max) < rank)
        }
        let command = "shared role \(device.short) \(role.name)"
        return hasOther
            ? "an owner lets them all count with `\(command)`"
            : "whoever has the room's recovery code lets them all count with `\(command)"
                + " --recovery`"
    }

    /// The fault of an identity that was seen on two machines.
    func duplicate(_ key: DeviceKey) async -> DeviceFault {
        let device = await names.named(key)
        let isOwn = key == own.key
        return DeviceFault(
            kind: "two_machines", device: device,
            detail: isOwn
                ? "the identity of this device runs on another machine as well"
                : "the identity of \(await names.called(key)) runs on two machines",
            hint: "Stop one of them, or give it an identity of its own: `shared identity new`.")
    }

    /// Batches of this device's own that a room waits for before anything is sealed in it.
    func recovery(of room: OpenRoom) async -> OwnLogRecovery? {
        guard let recovery = await sync.recovery(of: room.id) else { return nil }
        return OwnLogRecovery(
            peer: await names.named(recovery.peer), batches: Int(clamping: recovery.missing),
            seconds: Int(clamping: recovery.time.components.seconds))
    }
}
