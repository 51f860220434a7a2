internal import JSON
internal import Spreadsheet

/// The texts of an XForm that have several languages or media (`itext`), by their ids.
struct XFormTexts {
    /// A form of a text: none is the text itself; `guidance`, `image` and the like others.
    private struct Variant {
        let form: String?
        let texts: [(language: String, text: String)]
    }

    private let tree: FormTree
    private let defaultLanguage: String
    private var languages: [String] = []
    private var entries: [(id: String, node: FormNode?, variants: [Variant])] = []
    private var ids: Set<String> = []
    /// The lists whose labels are here.
    private(set) var lists: Set<String> = []

    init(_ tree: FormTree) throws(FormWritingError) {
        self.tree = tree
        defaultLanguage = tree.form["default_language"]?.string ?? "default"
        for list in tree.form["lists"]?.object?.members ?? [] { add(list.key, list.value) }
        for child in tree.root.children {
            try child.walk { node in
                add(node)
            }
        }
        // The form's own language first, where it has any text.
        if let index = languages.firstIndex(of: defaultLanguage) {
            languages.insert(languages.remove(at: index), at: 0)
        }
    }

    /// The reference to a text of a field where it is here; `suffix` tells which.
    func reference(_ node: FormNode, _ suffix: String) -> String? {
        let id = "\(node.path):\(suffix)"
        return ids.contains(id) ? "jr:itext('\(id)')" : nil
    }

    private mutating func add(_ list: String, _ choices: JSONValue) {
        let choices = choices.array ?? []
        let isHere = choices.contains { (choice: JSONValue) in
            choice["media"]?.object?.members.isEmpty == false || choice["label"]?.object != nil
                || !References(choice["label"]?.string ?? "").isEmpty
        }
        guard isHere else { return }
        lists.insert(list)
        for (index, choice) in choices.enumerated() {
            add("\(list)-\(index)", nil, [(nil, choice["label"])] + media(choice["media"]))
        }
    }

    private mutating func add(_ node: FormNode) {
        let media = media(node.json["media"])
        if node.json["label"]?.object != nil || !media.isEmpty {
            add("\(node.path):label", node, [(nil, node.json["label"])] + media)
        }
        let guidance = node.json["guidance_hint"]
        if node.json["hint"]?.object != nil || guidance != nil {
            add("\(node.path):hint", node, [(nil, node.json["hint"]), ("guidance", guidance)])
        }
        for (key, suffix) in [
            ("constraint_message", "jr:constraintMsg"), ("required_message", "jr:requiredMsg"),
        ] {
            let message = node.json[key]
            if message?.object != nil || !References(message?.string ?? "").isEmpty {
                add("\(node.path):\(suffix)", node, [(nil, message)])
            }
        }
    }

    private func media(_ value: JSONValue?) -> [(String?, JSONValue?)] {
        (value?.object?.members ?? []).map { ($0.key, $0.value) }
    }

    private mutating func add(
        _ id: String, _ node: FormNode?, _ values: [(form: String?, value: JSONValue?)]
    ) {
        var variants: [Variant] = []
        for (form, value) in values {
            let texts = Localized.texts(value).map { ($0.language ?? defaultLanguage, $0.text) }
            guard !texts.isEmpty else { continue }
            for (language, _) in texts where !languages.contains(language) {
                languages.append(language)
            }
            variants.append(Variant(form: form, texts: texts))
        }
        entries.append((id, node, variants))
        ids.insert(id)
    }

    /// Writes the texts, in each language all of them; one that is missing is `-`.
    func write(to xml: inout XMLWriter) throws(FormWritingError) {
        guard !languages.isEmpty else { return }
        xml.start("itext")
        for language in languages {
            xml.start(
                "translation",
                [("lang", language)]
                    + (language == defaultLanguage ? [("default", "true()")] : []))
            for entry in entries {
                xml.start("text", [("id", entry.id)])
                for variant in entry.variants {
                    let text = variant.texts.first { $0.language == language }?.text
                    try write(variant.form, text ?? "-", entry.node, to: &xml)
                }
                xml.end()
            }
            xml.end()
        }
        xml.end()
    }

    private func write(
        _ form: String?, _ text: String, _ node: FormNode?, to xml: inout XMLWriter
    ) throws(FormWritingError) {
        switch form {
        case nil, "guidance":
            xml.start("value", form.map { [("form", $0)] } ?? [])
            try write(text, at: node ?? tree.root, to: &xml)
            xml.end()
        case let form?:
            guard text != "-" else { return }
            let folder = form.hasSuffix("image") ? "images" : form
            xml.start("value", [("form", form)])
            try write("jr://\(folder)/\(text)", at: node ?? tree.root, to: &xml)
            xml.end()
        }
    }

    /// Writes a text with the answers that it refers to.
    func write(
        _ text: String, at node: FormNode, to xml: inout XMLWriter
    ) throws(FormWritingError) {
        for piece in References(text).pieces {
            switch piece {
            case .text(let text): xml.text(text)
            case .reference(let name, let isLastSaved):
                let reference = "${\(isLastSaved ? "last-saved#" : "")\(name)}"
                xml.element("output", [("value", try tree.xpath(reference, at: node))])
            }
        }
    }

    /// Writes the element of a label or hint.
    func write(
        _ element: String, of node: FormNode, to xml: inout XMLWriter
    ) throws(FormWritingError) {
        if let reference = reference(node, element) {
            xml.element(element, [("ref", reference)])
        } else {
            xml.start(element)
            try write(node.json[element]?.string ?? "", at: node, to: &xml)
            xml.end()
        }
    }
}
