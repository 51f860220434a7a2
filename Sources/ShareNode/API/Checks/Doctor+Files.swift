import Glibc
import ShareControl
import ShareCore
import ShareStore

/// The files of this device and their disk.
extension Doctor {
    /// Rooms whose files could not be opened, or were lost.
    func roomChecks() async -> [DoctorCheck] {
        var lost: [DoctorCheck] = []
        for room in await rooms.all() where await room.store.isRefilling {
            lost.append(
                DoctorCheck(
                    name: "room \(room.name)", state: "failed",
                    detail:
                        "its file was lost or damaged: members in reach give back what they hold",
                    hint: "Start the device of another member nearby. What only this device had is"
                        + " in no other place than a backup of \(room.store.path)."))
        }
        var damaged: [DoctorCheck] = []
        for room in await rooms.all() {
            do {
                try await room.store.requirePlace()
            } catch {
                let problem = Problem(error)
                damaged.append(
                    DoctorCheck(
                        name: "room \(room.name)", state: "failed", detail: problem.detail,
                        hint: problem.hint))
            }
        }
        for room in await rooms.all() where await room.store.isDamaged {
            damaged.append(
                DoctorCheck(
                    name: "room \(room.name)", state: "failed",
                    detail: "its file is damaged, and nothing is sent before it is made anew",
                    hint: "Run `shared rebuild --room \(room.id.short)`."))
        }
        return await lost + damaged
            + rooms.allDamaged().map { room in
                let problem = room.problem
                return DoctorCheck(
                    name: "room \(room.entry.name)", state: "failed", detail: problem.detail,
                    hint: problem.hint)
            }
    }

    func diskCheck() -> DoctorCheck {
        guard let space = DiskSpace(of: folder) else {
            return DoctorCheck(
                name: "disk", state: "warning", detail: "the free space cannot be told")
        }
        let detail = "\(space.free >> 20) MiB free for the data directory"
        guard space.isLow else { return DoctorCheck(name: "disk", state: "ok", detail: detail) }
        return DoctorCheck(
            name: "disk", state: space.isUsedUp ? "failed" : "warning", detail: detail,
            hint: "Make room: entries that cannot be written are refused, not lost.")
    }

    /// Folders of this device in which nothing can be written.
    func writingChecks() -> [DoctorCheck] {
        [folder, rooms.opening.folder].compactMap { folder in
            Folder.writingError(in: folder).map { error in
                DoctorCheck(
                    name: "data directory", state: "failed",
                    detail: "\(folder) cannot be written: \(error)",
                    hint: "Look at its permissions and its disk: entries that cannot be written are"
                        + " refused, not lost.")
            }
        }
    }

    /// Tells what was lost with a damaged `node.sqlite`, until the next start.
    func mendingChecks() async -> [DoctorCheck] {
        let found = await rooms.found
        var checks: [DoctorCheck] = []
        if mending == nil, !found.rooms.isEmpty {
            checks.append(
                DoctorCheck(
                    name: "node.sqlite", state: "warning",
                    detail: "it did not list \(found.rooms.joined(separator: ", ")), found by the"
                        + " files in the folder rooms: it was lost, or is an older copy; may be"
                        + " lost: \(NodeMending.allWords.joined(separator: "; "))",
                    hint: "Choose the current room with `shared use ROOM`. Addresses come back when"
                        + " devices meet; make new invites, set autopush. No entry was in it."))
        }
        if !found.unread.isEmpty {
            checks.append(
                DoctorCheck(
                    name: "room files", state: "failed",
                    detail: "\(found.unread.joined(separator: ", ")) in the folder rooms cannot be"
                        + " read as a room's, and no room is listed for it",
                    hint: "Put back a backup; or read the room from another device's file with"
                        + " `shared bundle read FILE --join`. A file that nobody needs may be"
                        + " moved away."))
        }
        guard let mending else { return checks }
        let lost = mending.words.joined(separator: "; ")
        return checks + [
            DoctorCheck(
                name: "node.sqlite", state: "warning",
                detail: "it was damaged and has been made anew; "
                    + (lost.isEmpty ? "nothing is lost" : "may be lost: \(lost)"),
                hint: (lost.isEmpty
                    ? ""
                    : "Addresses come back when devices meet; make new invites, set autopush. ")
                    + "No entry is in it. The damaged file is \(mending.kept).")
        ]
    }
}
