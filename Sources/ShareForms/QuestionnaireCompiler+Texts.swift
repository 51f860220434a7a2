import JSON
import ShareFormats

/// What texts for people name: `${name}` is read as it stands where there is no such field.
extension QuestionnaireCompiler {
    mutating func noteNames(inTextsOf group: Form.Group, _ position: Int) {
        noteNames(in: group.label, position, "label")
        noteNames(in: group.hint, position, "hint")
    }

    mutating func noteNames(inTextsOf field: Form.Field, _ position: Int) {
        let texts = field.texts
        noteNames(in: texts.label, position, "label")
        noteNames(in: texts.hint, position, "hint")
        noteNames(in: texts.guidance, position, "guidance_hint")
        noteNames(in: texts.requiredMessage, position, "required_message")
        noteNames(in: texts.constraintMessage, position, "constraint_message")
        noteNames(in: texts.warnMessage, position, "warn_message", isOwn: true)
        noteNames(in: texts.tip, position, "tip", isOwn: true)
    }

    /// Labels of the form's own choices: answers are put into them too.
    mutating func noteNamesInChoices() {
        for list in form.lists {
            for (place, choice) in list.choices.enumerated() {
                noteNames(
                    in: choice.label, 0, "label", of: "\(list.name): \(choice.name)",
                    at: [.member("lists"), .member(list.name), .element(place), .member("label")])
            }
        }
    }

    /// - Parameter isOwn: whether the member lies in `x`.
    private mutating func noteNames(
        in text: LocalizedText, _ position: Int, _ member: String, isOwn: Bool = false
    ) {
        noteNames(
            in: text, position, isOwn ? "x.\(member)" : member,
            of: String(decoding: items[position].name, as: UTF8.self),
            at: positions[position] + (isOwn ? [.member("x")] : []) + [.member(member)])
    }

    private mutating func noteNames(
        in text: LocalizedText, _ position: Int, _ member: String, of subject: String,
        at way: [JSONPath.Step]
    ) {
        for one in text.texts where one.text.utf8.contains(UInt8(ascii: "$")) {
            let path = one.language.isEmpty ? way : way + [.member(one.language)]
            var told: Set<[UInt8]> = []
            for (name, offset) in Self.references(in: Array(one.text.utf8))
            where named[name] == nil && told.insert(name).inserted {
                note(
                    String(decoding: name, as: UTF8.self), at: offset, JSONPath(path), position,
                    subject, member)
            }
        }
    }

    private mutating func note(
        _ name: String, at offset: Int, _ path: JSONPath, _ position: Int, _ subject: String,
        _ member: String
    ) {
        let shown = name.shortened(to: 60)
        // More are not told, and a text can name thousands.
        let hint = findings.isShown ? Suggestion.nearest(to: shown, among: itemNames) : nil
        findings.append(
            (
                position,
                FormFinding(
                    subject: subject, member: member, path: path, offset: offset,
                    text: "there is no field \(shown), so that people read ${\(shown)}",
                    hint: hint.map { "Did you mean \($0)?" }, isAboutField: true)
            ))
    }

    /// The names in a text, and where each reference begins.
    private static func references(in text: [UInt8]) -> [(name: [UInt8], offset: Int)] {
        var found: [(name: [UInt8], offset: Int)] = []
        var rest = text[...]
        while let start = rest.firstIndex(of: UInt8(ascii: "$")) {
            rest = rest[(start + 1)...]
            guard rest.first == UInt8(ascii: "{") else { continue }
            guard let end = rest.firstIndex(of: UInt8(ascii: "}")) else { break }
            var name = Array(rest[(start + 2)..<end].trimmed)
            let mark = Array("last-saved#".utf8)
            if name.starts(with: mark) { name.removeFirst(mark.count) }
            found.append((name, start))
            rest = rest[(end + 1)...]
        }
        return found
    }
}
