package import JSON
internal import Spreadsheet

/// Writes a form as an XForm for ODK Collect and its like (the ODK XForms specification 1.0.0).
///
/// The shape is pyxform's: references become paths, lists secondary instances, defaults that are
/// computed become actions.
package struct XFormWriter {
    let tree: FormTree
    let texts: XFormTexts
    var xml = XMLWriter()
    private let settings: JSONObject
    let entities: [JSONObject]
    /// The prefixes that the document declares.
    private var prefixes: Set<String> = ["xml"]
    /// The fields that a change of another field computes, by the name of that field.
    let triggered: [String: [FormNode]]

    /// The XForm of a definition. Names that no element can have are changed, as `MendedNames` says.
    ///
    /// - Throws: `FormWritingError`.
    package static func write(_ form: JSONObject) throws(FormWritingError) -> [UInt8] {
        let form = MendedNames(PlainTexts.translated(EntryLists.asFiles(form))).form
        var writer = try XFormWriter(form)
        try writer.write()
        return writer.xml.bytes
    }

    private init(_ form: JSONObject) throws(FormWritingError) {
        tree = try FormTree(form)
        texts = try XFormTexts(tree)
        settings = form["settings"]?.object ?? JSONObject()
        entities = try XFormWriter.entities(tree)
        var triggered: [String: [FormNode]] = [:]
        try tree.root.walk { node in
            for name in References(node.text("trigger") ?? "").names {
                triggered[name, default: []].append(node)
            }
        }
        self.triggered = triggered
    }

    /// The entity that an entry creates or updates. Entities of the rounds of a repeat are left
    /// out: they belong to another edition of the specification (2025.1.0).
    private static func entities(_ tree: FormTree) throws(FormWritingError) -> [JSONObject] {
        let entities = (tree.form["entities"]?.array ?? []).compactMap(\.object)
        guard entities.count == 1, entities[0]["repeat"] == nil else { return [] }
        var isRepeated = false
        func isInRepeat(_ node: FormNode) -> Bool { node.ancestors.contains { $0.isRepeat } }
        try tree.root.walk { node in
            if node.text("save_to") != nil, isInRepeat(node) { isRepeated = true }
        }
        for name in entities[0].members.flatMap({ References($0.value.string ?? "").names }) {
            if isInRepeat(try tree.target(name, from: tree.root)) { isRepeated = true }
        }
        return isRepeated ? [] : entities
    }

    private mutating func write() throws(FormWritingError) {
        let id = settings["form_id"]?.string ?? tree.root.text("form_id") ?? "data"
        var spaces = [
            ("xmlns", "http://www.w3.org/2002/xforms"),
            ("xmlns:h", "http://www.w3.org/1999/xhtml"),
            ("xmlns:ev", "http://www.w3.org/2001/xml-events"),
            ("xmlns:xsd", "http://www.w3.org/2001/XMLSchema"),
            ("xmlns:jr", "http://openrosa.org/javarosa"),
            ("xmlns:orx", "http://openrosa.org/xforms"),
            ("xmlns:odk", "http://www.opendatakit.org/xforms"),
        ]
        if !entities.isEmpty {
            spaces.append(("xmlns:entities", "http://www.opendatakit.org/xforms/entities"))
        }
        for word in (settings["namespaces"]?.string ?? "").split(whereSeparator: \.isWhitespace) {
            let halves = word.split(separator: "=", maxSplits: 1)
            guard halves.count == 2, ElementName.isValid(String(halves[0])),
                !spaces.contains(where: { $0.0 == "xmlns:\(halves[0])" })
            else { continue }
            spaces.append(("xmlns:\(halves[0])", halves[1].filter { $0 != "\"" && $0 != "'" }))
        }
        prefixes.formUnion(spaces.map { String($0.0.dropFirst("xmlns:".count)) })
        xml.start("h:html", spaces)
        xml.start("h:head")
        let title = Localized.texts(tree.form["title"]).first?.text
        xml.element("h:title", text: title ?? id)
        try model(id)
        xml.end()
        xml.start("h:body", settings["style"]?.string.map { [("class", $0)] } ?? [])
        for child in tree.root.children { try control(child) }
        for _ in 0..<2 { xml.end() }
    }

    /// Whether a form's own attribute can be written: a name whose prefix is declared.
    func canWrite(_ name: String) -> Bool {
        let parts = name.split(separator: ":", omittingEmptySubsequences: false)
        return ElementName.isValid(name) && (parts.count < 2 || prefixes.contains(String(parts[0])))
    }

    /// The attributes that a form gives to the element `key` of a field.
    func attributes(
        _ key: String, of node: FormNode
    ) throws(FormWritingError) -> [(name: String, value: String)] {
        var found: [(name: String, value: String)] = []
        for member in node.json[key]?.object?.members ?? [] where canWrite(member.key) {
            guard let value = member.value.string else { continue }
            found.append((member.key, try tree.xpath(value, at: node)))
        }
        return found
    }

    private mutating func model(_ id: String) throws(FormWritingError) {
        xml.start(
            "model",
            [("odk:xforms-version", "1.0.0")]
                + (entities.isEmpty ? [] : [("entities:entities-version", "2024.1.0")]))
        var submission: [(String, String)] = []
        if let url = settings["submission_url"]?.string {
            submission += [("action", url), ("method", "post")]
        }
        for (name, attribute) in [
            ("public_key", "base64RsaPublicKey"), ("auto_send", "orx:auto-send"),
            ("auto_delete", "orx:auto-delete"),
        ] {
            if let value = settings[name]?.string { submission.append((attribute, value)) }
        }
        if SurveyReader.isYes(settings["client_editable"]?.string ?? "") {
            submission.append(("odk:client-editable", "true"))
        }
        if !submission.isEmpty { xml.element("submission", submission) }
        try texts.write(to: &xml)

        var attributes: [(String, String)] = []
        for member in settings.members where member.key.hasPrefix("attribute::") {
            let name = String(member.key.dropFirst(11))
            if let value = member.value.string, canWrite(name) { attributes.append((name, value)) }
        }
        attributes.append(("id", id))
        if let space = settings["instance_xmlns"]?.string { attributes.append(("xmlns", space)) }
        if let version = tree.root.text("version") { attributes.append(("version", version)) }
        xml.start("instance")
        xml.start(tree.root.name, attributes)
        for child in tree.root.children { try instance(child, isInRound: false) }
        try metaInstance()
        for _ in 0..<2 { xml.end() }
        try secondaryInstances()
        for child in tree.root.children {
            try child.walk { (node) throws(FormWritingError) in try bind(node) }
        }
        try metaBinds()
        xml.end()
    }
}

// MARK: The block `meta`

extension XFormWriter {
    private var omitsID: Bool { SurveyReader.isYes(settings["omit_instanceid"]?.string ?? "") }
    private var audit: [FormNode] { tree.root.children.filter { $0.type == "audit" } }

    private mutating func metaInstance() throws(FormWritingError) {
        let isEmpty =
            omitsID && entities.isEmpty && audit.isEmpty && tree.root.text("instance_name") == nil
        guard !isEmpty else { return }
        xml.start("meta")
        if let entity = entities.first {
            var attributes = [("dataset", entity["list_name"]?.string ?? "")]
            let updates = entity["entity_id"] != nil
            if !updates || entity["create_if"] != nil { attributes.append(("create", "1")) }
            if updates {
                attributes += [
                    ("update", "1"), ("baseVersion", ""), ("trunkVersion", ""), ("branchId", ""),
                ]
            }
            xml.start("entity", attributes + [("id", "")])
            if entity["label"] != nil { xml.element("label") }
            xml.end()
        }
        for _ in audit { xml.element("audit") }
        if !omitsID { xml.element("instanceID") }
        if tree.root.text("instance_name") != nil { xml.element("instanceName") }
        xml.end()
    }

    private mutating func metaBinds() throws(FormWritingError) {
        let meta = "\(tree.root.path)/meta"
        if let entity = entities.first { try bind(entity, "\(meta)/entity") }
        if !omitsID {
            let preload = settings["instance_id"]?.string ?? "uid"
            xml.element(
                "bind",
                [
                    ("nodeset", "\(meta)/instanceID"), ("type", "string"), ("readonly", "true()"),
                    ("jr:preload", preload),
                ])
        }
        if let name = tree.root.text("instance_name") {
            xml.element(
                "bind",
                [
                    ("nodeset", "\(meta)/instanceName"), ("type", "string"),
                    ("calculate", try tree.xpath(name, at: tree.root)),
                ])
        }
        for node in audit {
            xml.element(
                "bind",
                [("nodeset", "\(meta)/audit"), ("type", "binary")]
                    + XFormType.bindParameters(node))
        }
    }

    /// The binds of an entity that entries create or update (ODK XForms, entities 2024.1.0).
    private mutating func bind(_ entity: JSONObject, _ path: String) throws(FormWritingError) {
        let root = tree.root
        func text(_ key: String) throws(FormWritingError) -> String? {
            guard let text = entity[key]?.string else { return nil }
            return try tree.xpath(text, at: root)
        }
        var rows: [(String, String?)] = []
        if let condition = try text("create_if") { rows.append(("/@create", condition)) }
        if let condition = try text("update_if") { rows.append(("/@update", condition)) }
        let id = try text("entity_id")
        if let id, let list = entity["list_name"]?.string {
            for (attribute, column) in [
                ("baseVersion", "__version"), ("trunkVersion", "__trunkVersion"),
                ("branchId", "__branchId"),
            ] {
                rows.append(
                    ("/@\(attribute)", "instance('\(list)')/root/item[name= \(id) ]/\(column)"))
            }
        }
        rows.append(("/@id", id))
        if let label = try text("label") { rows.append(("/label", label)) }
        for (suffix, calculation) in rows {
            xml.element(
                "bind",
                [("nodeset", path + suffix), ("readonly", "true()"), ("type", "string")]
                    + (calculation.map { [("calculate", $0)] } ?? []))
        }
        guard id == nil || entity["create_if"] != nil else { return }
        if id == nil {
            xml.element(
                "setvalue",
                [
                    ("ref", path + "/@id"), ("event", "odk-instance-first-load"),
                    ("value", "uuid()"),
                ])
        }
    }
}
