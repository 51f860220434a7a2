internal import JSON
internal import ShareFormats
internal import Spreadsheet

// The instance of a form, the lists beside it, and the rules of its fields.
extension XFormWriter {
    /// Types that only name a file beside the form.
    private static let external = ["csv-external": "csv", "xml-external": "xml"]

    /// Writes the element of a field. An outer repeat stands twice, once as the template that
    /// every new round begins as; within a round nested ones stand once.
    mutating func instance(_ node: FormNode, isInRound: Bool) throws(FormWritingError) {
        guard XFormWriter.external[node.type] == nil, node.type != "audit" else { return }
        if node.isRepeat, !isInRound { try template(node) }
        xml.start(node.name, try attributes("instance", of: node))
        if node.isContainer {
            for child in node.children {
                try instance(child, isInRound: isInRound || node.isRepeat)
            }
        } else if let initial = node.text("default"),
            !References.isDynamic(initial, type: node.type)
        {
            let isFile = node.type == "image" && !initial.hasPrefix("jr://")
            xml.text(isFile ? "jr://images/" + initial : initial)
        }
        xml.end()
    }

    private mutating func template(_ node: FormNode) throws(FormWritingError) {
        xml.start(node.name, [("jr:template", "")])
        for child in node.children {
            if child.isRepeat { try template(child) } else { try instance(child, isInRound: false) }
        }
        xml.end()
    }

    /// The name of the file of a list that lies beside the form; nil for a list of the form.
    static func file(_ node: FormNode) -> String? {
        guard let list = node.json["list"]?.string else { return nil }
        let form = "@form:"
        if list.hasPrefix(form) { return list.dropFirst(form.count) + ".csv" }
        if [".csv", ".xml", ".geojson"].contains(where: { list.hasSuffix($0) }) { return list }
        return node.type.hasSuffix("_from_file") ? list + ".csv" : nil
    }

    /// Whether the choices come from the function `search`, which wants them in the control.
    static func isSearch(_ node: FormNode) -> Bool {
        RowType.hasChoices(node.type) && (node.text("appearance") ?? "").contains("search(")
    }

    mutating func secondaryInstances() throws(FormWritingError) {
        var sources: [(id: String, source: String)] = []
        var usesLastSaved = false
        var searched: Set<String> = []
        var chosen: Set<String> = []
        func add(_ id: String, _ source: String) {
            if !sources.contains(where: { $0.id == id }) { sources.append((id, source)) }
        }
        func add(file: String) {
            let dot = file.lastIndex(of: ".") ?? file.endIndex
            let ending = file[dot...].dropFirst()
            add(String(file[..<dot]), "jr://\(ending == "csv" ? "file-csv" : "file")/\(file)")
        }
        try tree.root.walk { node in
            if let ending = XFormWriter.external[node.type] { add(file: "\(node.name).\(ending)") }
            if let file = XFormWriter.file(node) { add(file: file) }
            if let list = node.text("list") {
                if XFormWriter.isSearch(node) { searched.insert(list) } else { chosen.insert(list) }
            }
            for key in [
                "calculation", "constraint", "read_only", "required", "relevant", "choice_filter",
                "default",
            ] {
                guard let text = node.text(key) else { continue }
                usesLastSaved = usesLastSaved || text.contains("${last-saved#")
                for name in XFormWriter.pulled(text) { add(file: name + ".csv") }
            }
        }
        if usesLastSaved { add("__last-saved", "jr://instance/last-saved") }
        for (id, source) in sources { xml.element("instance", [("id", id), ("src", source)]) }
        for list in tree.form["lists"]?.object?.members ?? []
        where !searched.subtracting(chosen).contains(list.key)
            && !sources.contains(where: { $0.id == list.key })
        {
            choices(list.key, list.value.array ?? [])
        }
    }

    /// The files that calls of `pulldata` name.
    private static func pulled(_ text: String) -> [String] {
        text.ranges(of: "pulldata").compactMap { range in
            let rest = text[range.upperBound...].drop(while: \.isWhitespace)
            guard rest.first == "(", let comma = rest.firstIndex(of: ",") else { return nil }
            return rest[..<comma].dropFirst().filter { $0 != "'" && $0 != "\"" }.trimmed
        }
    }

    private mutating func choices(_ list: String, _ choices: [JSONValue]) {
        xml.start("instance", [("id", list)])
        xml.start("root")
        for (index, choice) in choices.enumerated() {
            xml.start("item")
            let members = choice.object?.members ?? []
            if texts.lists.contains(list) { xml.element("itextId", text: "\(list)-\(index)") }
            xml.element("name", text: XFormWriter.name(of: choice))
            if !texts.lists.contains(list) {
                // JavaRosa wants a label.
                let label = choice["label"]?.string ?? XFormWriter.name(of: choice)
                xml.element("label", text: label)
            }
            for member in members where !["name", "label", "media"].contains(member.key) {
                // A column whose header is no name of an element cannot be asked for either.
                guard canWrite(member.key) else { continue }
                xml.element(member.key, text: member.value.plainText ?? "")
            }
            xml.end()
        }
        for _ in 0..<2 { xml.end() }
    }

    static func name(of choice: JSONValue) -> String {
        switch choice["name"] ?? choice {
        case .string(let name): name
        case .integer(let number): String(number)
        default: ""
        }
    }

    /// Writes the rules of a field, and the actions that fill it when a form is opened.
    mutating func bind(_ node: FormNode) throws(FormWritingError) {
        guard XFormWriter.external[node.type] == nil, node.type != "audit" else { return }
        var attributes: [(name: String, value: String)] = []
        func set(_ name: String, _ value: String) {
            if let index = attributes.firstIndex(where: { $0.name == name }) {
                attributes[index].value = value
            } else {
                attributes.append((name, value))
            }
        }
        if !node.isContainer {
            let type = XFormType(node.type)
            let isDecimal = node.type == "range" && !XFormType.isWhole(node)
            set("type", isDecimal ? "decimal" : type.value)
            for (name, value) in type.bind { set(name, value) }
        }
        for (key, name) in [
            ("required", "required"), ("relevant", "relevant"), ("constraint", "constraint"),
            ("calculation", "calculate"), ("read_only", "readonly"),
        ] {
            guard let text = node.text(key) else { continue }
            if key == "calculation", node.text("trigger") != nil { continue }
            switch SurveyReader.truth(text) {
            case true?: set(name, "true()")
            case false?: set(name, "false()")
            case nil: set(name, try tree.xpath(text, at: node))
            }
        }
        for (key, name) in [
            ("constraint_message", "jr:constraintMsg"), ("required_message", "jr:requiredMsg"),
        ] {
            if let text = texts.reference(node, name) ?? node.text(key) { set(name, text) }
        }
        if !entities.isEmpty, let property = node.text("save_to") {
            set("entities:saveto", property)
        }
        for (name, value) in XFormType.bindParameters(node) { set(name, value) }
        for (name, value) in try self.attributes("bind", of: node) { set(name, value) }
        if !attributes.isEmpty { xml.element("bind", [("nodeset", node.path)] + attributes) }
        switch node.type {
        case "start-geopoint":
            xml.element(
                "odk:setgeopoint", [("ref", node.path), ("event", "odk-instance-first-load")])
        case "background-audio":
            xml.element(
                "odk:recordaudio",
                [("ref", node.path), ("event", "odk-instance-load")]
                    + (node.parameter("quality").map { [("odk:quality", $0)] } ?? []))
        default: try setDefault(node, "odk-instance-first-load")
        }
    }

    /// Writes the action that computes the default of a field at an event, where it has such.
    mutating func setDefault(_ node: FormNode, _ event: String) throws(FormWritingError) {
        guard let initial = node.text("default"), !node.isContainer,
            References.isDynamic(initial, type: node.type)
        else { return }
        xml.element(
            "setvalue",
            [
                ("ref", node.path), ("event", event),
                ("value", try tree.xpath(initial, at: node)),
            ])
    }
}
