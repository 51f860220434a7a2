package import ShareCore

/// What control batches say of a room that is not here: who founded it, and who is in it.
package struct RoomPreview: Sendable {
    package let founding: Batch
    /// As founded.
    package let name: String
    package let authority: Authority

    /// Nil where the founding batch is not among them, or founds nothing.
    package init?(_ batches: [Batch]) {
        guard let founding = batches.first(where: \.isFounding) else { return nil }
        let controls = batches.filter { $0.kind == .control && $0.room == founding.room }.map {
            ControlRecord(batch: 0, $0, try? $0.openBody())
        }
        guard
            case .found(let found)? = controls.first(where: {
                $0.head.batch == founding.id
            })?.entries.first?.entry.operation
        else { return nil }
        self.founding = founding
        name = found.name
        authority = Judgement(controls, room: founding.room).authority
    }
}
