import JSON
import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats
import ShareStore

/// What the routes of forms do.
struct FormsWork: Sendable {
    let node: Node
    let room: OpenRoom

    func list() async -> [FormAnswer] {
        await room.store.forms().map { info in
            FormAnswer(
                formID: info.formID, title: Form(info.form).displayTitle(),
                version: info.form.version, records: info.records)
        }
    }

    /// The definition in force, as it was added, its version filled in.
    func show(_ formID: String) async throws -> [UInt8] {
        let entry = try await FormsEntry.find(formID, in: room)
        let definition = entry.info.form
        guard let object = try? JSONValue(text: Array(definition.json.utf8)).members(),
            object["form_id"] != nil, object["fields"] != nil
        else { return FormsWork.bare(definition).text }
        if object["version"] != nil { return Array(definition.json.utf8) }
        // As text, so that no number in it changes its look.
        guard let brace = definition.json.utf8.firstIndex(of: UInt8(ascii: "{")) else {
            return FormsWork.bare(definition).text
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
                    ["name": $0.name.json, "type": FormsWork.kind($0.type).json]
                }),
        ]
    }

    private static func kind(_ type: StorageType) -> String {
        type == .dateTime ? FieldKind.dateTime.name : type.name
    }

    /// Puts a form, or a new version of one, into the room's log and offers it to everybody.
    ///
    /// - Throws: `Problem` of `bad_form`, `not_allowed`; `StoreError`, `SQLiteError`.
    func add(_ body: [UInt8]) async throws -> FormAddedAnswer {
        let form = try FormsWork.read(body)
        let known = await room.store.form(form.formID)
        let definition = form.definition(bases: [])
        let before = known?.form.fields ?? []
        var answer = FormAddedAnswer(
            formID: form.formID, version: form.version,
            change: known == nil ? "added" : "updated",
            addedFields: definition.fields.filter { !before.contains($0) }.map(\.name),
            removedFields: before.filter { !definition.fields.contains($0) }.map(\.name),
            warnings: form.warnings.map(\.description))
        if let known, FormsWork.isSame(known.form, definition) {
            answer.change = "unchanged"
            return answer
        }
        try await requireEditor(formID: form.formID)
        do {
            let batch = try await node.sealing.control(in: room, as: .editor) { store in
                let definition = form.definition(bases: store.heads(of: form.formID))
                // The same may have come from another device meanwhile.
                if let known = store.form(form.formID), FormsWork.isSame(known.form, definition) {
                    return []
                }
                return [.form(definition)]
            }
            guard batch != nil else {
                answer.change = "unchanged"
                return answer
            }
        } catch let error as RoleLost {
            try await node.requireMember(of: room)
            try await requireEditor(formID: form.formID)
            throw error
        } catch StoreError.tooLarge {
            throw Problem(
                .badForm, "the form is too large to travel",
                hint: "Split it into several forms, or shorten its lists.")
        }
        node.tellForm(form.formID, form.version, in: room)
        return answer
    }

    private func requireEditor(formID: String) async throws {
        let role = await room.store.authority().currentRole(of: node.identity.key)
        guard let role, role >= .editor else {
            let who = role?.phrase ?? "who is not a member"
            throw Problem(
                .notAllowed, "\(who) may not add or change forms in \(room.name)",
                hint: "Ask an owner or an editor of the room to add \(formID).")
        }
    }

    /// A definition alone, or one with the files of its lists.
    private static func read(_ body: [UInt8]) throws -> Form {
        do {
            guard let object = (try? JSONValue(text: body))?.object, object["form_id"] == nil,
                let request = try? FormRequest(json: object.json)
            else { return try Form(json: body) }
            var lists: [ChoiceList] = []
            for member in request.listFiles.members {
                guard let text = member.value.string else {
                    throw Problem(.badRequest, "list_files: \(member.key) is not text")
                }
                lists.append(try ChoiceList(name: member.key, csv: Array(text.utf8)))
            }
            return try Form(json: Array(request.definition.utf8), lists: lists)
        } catch let error as FormError {
            throw Problem(.badForm, error.description, hint: error.hint)
        }
    }

    /// Byte for byte, as texts that only look alike are different definitions.
    private static func isSame(_ a: FormDefinition, _ b: FormDefinition) -> Bool {
        a.json.utf8.elementsEqual(b.json.utf8) && a.version.utf8.elementsEqual(b.version.utf8)
            && a.fields == b.fields
    }
}
