extension Node {
    /// Takes in what sessions, rooms and discovery tell, in order, until the stream ends.
    func takeEvents() async {
        for await event in events {
            switch event {
            case .learned(let addresses): await reach.learn(addresses)
            case .told(let key, let release, let names):
                if let release { await reach.note(release: release, of: key) }
                await reach.note(names)
            case .join(let id, let connection, let exporter, let message):
                joins.note(message, on: id, connection, exporter: exporter)
            case .met(let key, let name, let address):
                await peerEvents.noteMet(key, name: name, address: address)
            case .linked(let room, let key): await peerEvents.noteLinked(room, key)
            case .ended(let id, let key, let wasMet, let wasLinked, let wasSilent):
                await peerEvents.noteEnded(
                    id, key, wasMet: wasMet, wasLinked: wasLinked, wasSilent: wasSilent)
            case .answering(let rooms):
                for room in rooms { await autopush.noteReach(in: room) }
            case .progress(let room, let key, let isIdentical):
                await peerEvents.noteProgress(key, in: room, isIdentical: isIdentical)
                if isIdentical { await autopush.noteReach(in: room) }
            case .notice(let notice): await peerEvents.take(notice)
            case .discovered(let snapshot): await peerEvents.take(snapshot)
            case .holding(let room, let key, let logs):
                await roomEvents.noteHolding(logs, in: room, by: key)
            case .changed(let room, let report): await roomEvents.noteChange(of: room, report)
            case .acknowledged(let room, let key, let acknowledgement):
                await roomEvents.note(acknowledgement, in: room, by: key)
            case .sealingPaused(let room, let isPaused):
                await roomEvents.noteSealingPaused(isPaused, in: room)
            }
        }
    }
}
