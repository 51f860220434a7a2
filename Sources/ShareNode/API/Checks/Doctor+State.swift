import ShareControl
import ShareCore
import ShareCrypto
import ShareStore

/// Identities and roles, and the state that devices come to.
extension Doctor {
    /// Identities in two hands, and what waits until this device has its own batches back.
    func identityChecks() async -> [DoctorCheck] {
        let rooms = await self.rooms.all()
        var interrupted: [DoctorCheck] = []
        if rotation.isCutOff {
            interrupted.append(
                DoctorCheck(
                    name: "identity", state: "warning",
                    detail: "a change of this device's identity was cut off",
                    hint: "Go on with it: `shared identity new`."))
        }
        let faults = await self.faults.all(in: rooms)
        var checks = faults.enumerated().map { index, fault in
            // What helps against several that follow each other is said once.
            let isSaid = index + 1 < faults.count && faults[index + 1].hint == fault.hint
            return DoctorCheck(
                name: "identity of \(fault.device.name)", state: "warning",
                detail: fault.room.map { "\(fault.detail), in \($0)" } ?? fault.detail,
                hint: isSaid ? nil : fault.hint)
        }
        for room in rooms {
            guard let recovery = await self.faults.recovery(of: room) else { continue }
            checks.append(
                DoctorCheck(
                    name: "own log", state: "warning",
                    detail: "\(recovery.peer.name) has entries of this device"
                        + " in \(room.name) that are not here, for \(recovery.seconds) s now",
                    hint: "They come by themselves while it is in reach; nothing is sent before.")
            )
        }
        return interrupted + checks
    }

    /// Peers that made something else of the same entries, and peers of another release.
    func stateChecks(_ peers: [PeerAnswer]) async -> [DoctorCheck] {
        var checks: [DoctorCheck] = []
        for peer in peers {
            for progress in peer.progress where progress.state == "digest_differs" {
                checks.append(
                    DoctorCheck(
                        name: "state of \(progress.room)", state: "failed",
                        detail: "\(peer.name) has another state although it holds the same entries",
                        hint: "Run `shared verify` on both devices, and `shared rebuild` on the one"
                            + " that it finds at fault."))
            }
            if let key = peer.id.flatMap({ DeviceKey(text: $0) }),
                let version = await reach.otherVersion(of: key)
            {
                checks.append(
                    DoctorCheck(
                        name: "release", state: "failed",
                        detail:
                            "\(peer.name) speaks version \(version) of the protocol, this device"
                            + " \(SyncLimits.protocolVersion)",
                        hint: "Update the older one."))
            }
        }
        return checks
    }

    /// Rooms that this device was removed from, or that know its former identity only: there is
    /// nobody to share with in them.
    func admissionChecks() async -> [DoctorCheck] {
        var checks: [DoctorCheck] = []
        for room in await rooms.all() {
            guard let removal = await membership.removal(of: own.key, from: room),
                removal.by.id != own.key.text
            else { continue }
            let counts = try? await room.store.counts().inEntries
            let kept = counts?.pending ?? 0
            let what = EntryWords.unsent(kept, new: counts?.pendingEntries ?? 0)
            let unsent = kept == 0 ? "" : "; \(what) here not sent"
            checks.append(
                DoctorCheck(
                    name: "room \(room.name)", state: "failed",
                    detail:
                        "removed by \(removal.by.name), \(WallClock.words(removal.at))\(unsent)",
                    hint:
                        "What is here stays. To come back ask for a code, then: `shared join CODE`."
                ))
        }
        for room in await rooms.all() where await membership.isUnadmitted(to: room) {
            checks.append(
                DoctorCheck(
                    name: "room \(room.name)", state: "failed",
                    detail: await membership.unadmitted(to: room),
                    hint: "Ask there for an invite, then: `shared join CODE`."))
        }
        return checks
    }
}
