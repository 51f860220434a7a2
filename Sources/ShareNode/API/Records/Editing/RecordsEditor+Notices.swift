import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats
import ShareForms
import ShareStore

/// What is said beside an entry that was made, changed, deleted or brought back.
extension RecordsEditor {
    /// What to say beside a new record: what the form flags in it, others of the same key that are
    /// there already, and that it has no texts in the language that was asked for.
    func notices(
        of added: AddedAnswer, in room: OpenRoom, language: String? = nil
    ) async throws -> [String] {
        try await added.warnings.prefix(20).map(\.line)
            + duplicates(added.form, added.id, records.own.key, in: room)
            + missing(language, added.form, in: room)
    }

    private func missing(
        _ language: String?, _ formID: String, in room: OpenRoom
    ) async -> [String] {
        guard let language,
            let form = try? await records.schemas.find(formID, in: room).questionnaire,
            form.language(meantBy: language) == nil
        else { return [] }
        return [MissingLanguage.note(language.shortened(to: 40), among: form.languages)]
    }

    /// What to say beside a changed record: what became of a conflict or a review, what the form
    /// flags in it, and others of the key that it has now.
    func notices(
        of edited: Edited, in room: OpenRoom, language: String? = nil
    ) async throws -> [String] {
        let said =
            edited.consequences + edited.answer.warnings.prefix(20).map(\.line)
            + (await missing(language, edited.answer.form, in: room))
        guard edited.isKeyChanged else { return said }
        return try await said
            + duplicates(edited.answer.form, edited.answer.id, edited.creator, in: room)
    }

    /// What to say beside a record that is back: others that have got its key since.
    func notices(
        ofRestored restored: RemarkAnswer, by creator: DeviceKey, in room: OpenRoom
    ) async throws -> [String] {
        try await duplicates(restored.form, restored.id, creator, in: room)
    }

    /// What to say beside a deleted record: the entries that have chosen it, and go on naming it.
    func notices(ofDeleted deleted: EditedAnswer, in room: OpenRoom) async throws -> [String] {
        let reader = try await records.readers.reader(of: room)
        var notices: [String] = []
        for (formID, schema) in await records.schemas.all(in: room).sorted(by: { $0.key < $1.key })
        {
            for (place, field) in schema.form.stored.enumerated()
            where schema.entries(at: place)?.formID == deleted.form {
                let count = try await schema.entries(with: [deleted.id], at: place, reader)
                guard count > 0 else { continue }
                let form = FormDefinition.outermostForm(of: formID)
                notices.append(
                    (count == 1 ? "1 entry of \(form) has" : "\(count) entries of \(form) have")
                        + " it in \(field.name), and \(count == 1 ? "keeps" : "keep") it")
            }
        }
        return notices
    }

    private func duplicates(
        _ form: String, _ id: String, _ creator: DeviceKey, in room: OpenRoom
    ) async throws -> [String] {
        if let schema = records.schemas.lastFound(form, in: room), schema.keyPlaces.isEmpty {
            return []
        }
        guard let id = RecordID(text: id), let info = await room.store.form(form) else { return [] }
        let schema = records.schemas.schema(of: info)
        guard !schema.keyPlaces.isEmpty else { return [] }
        let reader = try await records.readers.reader(of: room)
        let name = RecordName(form: form, creator: creator, id: id)
        guard let row = try await reader.record(name, in: info) else { return [] }
        return try await records.duplicate(of: row.values, schema, besides: name, in: room).map {
            [$0]
        } ?? []
    }
}
