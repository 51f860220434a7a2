import ShareControl
import ShareCore
import ShareStore

/// Tells which forms people have changed at once: one version is in force on all devices, and what
/// another asked is asked nowhere.
struct ParallelForms: Sendable {
    let names: DeviceNames

    /// The forms of a room with other definitions than the one in force that nobody has seen with it.
    func list(in room: OpenRoom) async -> [ParallelForm] {
        var found: [ParallelForm] = []
        for form in await room.store.parallelDefinitions() {
            // The same file, added on several devices, leaves nothing out.
            let known = form.seen + [form.inForce.form]
            let others = form.others.filter { other in
                !known.contains { FormsService.isSame($0, other.form) }
            }
            guard !others.isEmpty else { continue }
            found.append(
                ParallelForm(
                    form: form.inForce.form.formID,
                    inForce: await answer(form.inForce, in: room),
                    others: await answers(others, in: room)))
        }
        return found
    }

    /// The version of a form that a device made while others made theirs.
    ///
    /// - Parameter device: its name, or the beginning of its id.
    /// - Throws: `Problem` where it made none of these, or several devices are meant.
    func definition(
        of form: FormDefinition, by device: String, in room: OpenRoom
    ) async throws -> FormDefinition {
        let found = await room.store.parallelDefinitions()
            .first { $0.inForce.form.formID == form.formID }
        guard let found else {
            throw Problem(
                .badRequest, "nobody has changed \(form.formID) at once with somebody else",
                hint: "`shared form show \(form.formID)` shows the version in force.")
        }
        let all = [found.inForce] + found.others
        let author = try await names.author(
            device, among: all.map(\.author), of: form.formID, in: room)
        // Of several that a copied device made, the latest is shown.
        return all.first { $0.author == author }?.form ?? form
    }

    private func answers(
        _ definitions: [ParallelDefinitions.Made], in room: OpenRoom
    ) async -> [FormVersionAnswer] {
        var answers: [FormVersionAnswer] = []
        for definition in definitions { answers.append(await answer(definition, in: room)) }
        return answers
    }

    private func answer(
        _ definition: ParallelDefinitions.Made, in room: OpenRoom
    ) async -> FormVersionAnswer {
        FormVersionAnswer(
            version: definition.form.version,
            by: await names.named(definition.author, in: room),
            at: WallClock.text(definition.wall.milliseconds))
    }
}
