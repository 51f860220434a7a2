import JSON
import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats
import ShareForms
import ShareStore

/// Lists, shows and adds forms.
struct FormsService: Sendable {
    let own: OwnDevice
    let membership: Membership
    let sealing: Sealing
    let changes: ChangeEvents
    let schemas: SchemaCache
    let parallel: ParallelForms
    let surroundings: EntrySurroundings

    func list(_ room: OpenRoom) async -> [FormAnswer] {
        let parallel = await parallel.list(in: room)
        return await room.store.forms().filter { !$0.form.isRepeat }.map { info in
            FormAnswer(
                formID: info.formID, title: schemas.schema(of: info).form.displayTitle(),
                version: info.form.version, records: info.records,
                parallel: parallel.first { $0.form == info.formID })
        }
    }

    /// The definition in force, as it was added, its version filled in; or the one that a device
    /// made while others made theirs.
    func show(
        _ formID: String, by device: String? = nil, in room: OpenRoom
    ) async throws -> [UInt8] {
        var definition = try await schemas.find(formID, in: room).info.form
        if let device {
            definition = try await parallel.definition(of: definition, by: device, in: room)
        }
        guard let object = try? JSONValue(text: Array(definition.json.utf8)).members(),
            object["form_id"] != nil, object["fields"] != nil
        else { return Self.bare(definition).text }
        if object["version"] != nil { return Array(definition.json.utf8) }
        // As text, so that no number in it changes its look.
        guard let brace = definition.json.utf8.firstIndex(of: UInt8(ascii: "{")) else {
            return Self.bare(definition).text
        }
        var text = Array(definition.json.utf8[...brace])
        text += "\"version\":".utf8
        text += definition.version.json.text
        text += ",".utf8
        return text + definition.json.utf8[definition.json.utf8.index(after: brace)...]
    }

    /// All that is known of a form whose JSON cannot be read here.
    private static func bare(_ definition: FormDefinition) -> JSONValue {
        [
            "form_id": definition.formID.json, "version": definition.version.json,
            "fields": .array(
                definition.fields.map {
                    ["name": $0.name.json, "type": Self.kind($0.type).json]
                }),
        ]
    }

    private static func kind(_ type: StorageType) -> String {
        type == .dateTime ? FieldKind.dateTime.name : type.name
    }

    /// Puts a form, or a new version of one, into the room's log and offers it to everybody.
    ///
    /// - Throws: `Problem` of `bad_form`, `not_allowed`; `StoreError`, `SQLiteError`.
    ///
    /// - Parameters:
    ///   - isTrial: whether it is only told what that would do.
    ///   - isForced: whether it is added also where answers lose their place.
    ///   - coming: lists that the room will have by then.
    func add(
        _ body: [UInt8], to room: OpenRoom, isTrial: Bool = false, isForced: Bool = false,
        coming: [String] = []
    ) async throws -> FormAddedAnswer {
        let lists = room.store.lists
        let names = try lists.checked { lists.all() }.map(\.name)
        let form = try Self.read(body, names + coming)
        let known = await room.store.form(form.formID)
        let definition = form.definition(parents: [])
        let before = known?.form.fields ?? []
        let questionnaire = Questionnaire(form)
        var answer = FormAddedAnswer(
            formID: form.formID, version: form.version,
            change: known == nil ? "added" : "updated",
            addedFields: definition.fields.filter { field in
                !before.contains { $0 == field || field.widens($0) }
            }.map(\.name),
            removedFields: before.filter { field in
                !definition.fields.contains { $0 == field || $0.widens(field) }
            }.map(\.name),
            warnings: questionnaire.notes)
        if let known, Self.isSame(known.form, definition) {
            answer.change = "unchanged"
            return answer
        }
        // Who may not add it is told that before anything about the form.
        if !isTrial { try await requireEditor(of: room, formID: form.formID) }
        let faults = questionnaire.faults
        guard faults.isEmpty else { throw Problem.badForm(faults) }
        if let known {
            try await FormUpdate.requireNames(of: form, in: room.store)
            let update = FormUpdate(form, known: schemas.schema(of: known))
            let reader = try RoomReader(path: room.store.path)
            answer.kept = try await update.kept(reader, in: room.store)
            answer.invalid = try await update.invalid(reader, surroundings)
            if let risk = update.risk {
                guard isTrial || isForced else { throw risk }
                if !isForced { answer.warnings.insert("\(risk.detail): needs --force", at: 0) }
            }
        }
        if isTrial { return answer }
        do {
            let batch = try await sealing.control(in: room, as: .editor) { store in
                let definitions = form.definitions { store.heads(of: $0) }
                // The same may have come from another device meanwhile.
                if let known = store.form(form.formID), let first = definitions.first,
                    Self.isSame(known.form, first)
                {
                    return []
                }
                // What it does to the form was told, and asked, of the version that there was.
                guard store.form(form.formID)?.definition == known?.definition else {
                    throw Problem(
                        .busy, "the form was changed by another device meanwhile",
                        hint: "Look at it with `shared form show \(form.formID)`,"
                            + " and add yours again.")
                }
                return definitions.map { .form($0) }
            }
            guard batch != nil else {
                answer.change = "unchanged"
                return answer
            }
        } catch let error as RoleLost {
            try await membership.requireMember(of: room)
            try await requireEditor(of: room, formID: form.formID)
            throw error
        } catch StoreError.tooLarge {
            throw Problem(
                .badForm, "the form is too large to travel",
                hint: "Split it into several forms, or shorten its lists.")
        }
        changes.tellForm(form.formID, form.version, in: room)
        return answer
    }

    private func requireEditor(of room: OpenRoom, formID: String) async throws {
        try await membership.requireEditor(
            of: room, to: "add or change forms in",
            hint: "Ask an owner or an editor of the room to add \(formID).")
    }

    /// - Parameter lists: those that forms of the room can choose from.
    private static func read(_ body: [UInt8], _ lists: [String]) throws -> Form {
        do throws(FormError) {
            return try Form(json: body, outside: lists, isWritten: true)
        } catch {
            throw Problem.badForm(([error] + error.others).map { ($0.located, $0.hint) })
        }
    }

    /// But for spaces between its parts byte for byte, as texts that only look alike are different
    /// definitions.
    static func isSame(_ a: FormDefinition, _ b: FormDefinition) -> Bool {
        func parts(_ json: String) -> [UInt8]? {
            (try? JSONValue(text: Array(json.utf8)))?.text
        }
        guard a.version.utf8.elementsEqual(b.version.utf8), a.fields == b.fields else {
            return false
        }
        if a.json.utf8.elementsEqual(b.json.utf8) { return true }
        guard let known = parts(a.json), let given = parts(b.json) else { return false }
        return known == given
    }
}
