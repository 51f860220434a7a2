internal import JSON
internal import Spreadsheet

// What people see of a form.
extension XFormWriter {
    mutating func control(_ node: FormNode) throws(FormWritingError) {
        switch node.type {
        case "group":
            xml.start("group", try attributes(node) + [("ref", node.path)])
            if hasLabel(node) { try texts.write("label", of: node, to: &xml) }
            for child in node.children { try control(child) }
            xml.end()
        case "repeat": try round(node)
        default: try question(node)
        }
    }

    private func hasLabel(_ node: FormNode) -> Bool {
        texts.reference(node, "label") != nil || node.text("label") != nil
    }

    private mutating func round(_ node: FormNode) throws(FormWritingError) {
        xml.start("group", [("ref", node.path)])
        if hasLabel(node) { try texts.write("label", of: node, to: &xml) }
        var attributes = try attributes(node)
        if let count = node.text("repeat_count") {
            let isReference = References(count).pieces.count == 1 && !References(count).isEmpty
            let name = isReference ? count : "${\(node.name)_count}"
            attributes.append(("jr:count", try tree.xpath(name, at: node)))
        }
        xml.start("repeat", [("nodeset", node.path)] + attributes)
        for child in node.children { try control(child) }
        try node.walk { (inner) throws(FormWritingError) in
            if inner.ancestors.first(where: { $0.isRepeat }) === node {
                try setDefault(inner, "odk-new-repeat")
            }
        }
        for _ in 0..<2 { xml.end() }
    }

    /// The attributes of a control that a form gives it.
    private func attributes(
        _ node: FormNode
    ) throws(FormWritingError) -> [(name: String, value: String)] {
        var found: [(name: String, value: String)] = []
        if let appearance = node.text("appearance") {
            // Collect has no table-list, and shows such a group question by question without this.
            let shown =
                appearance.split(separator: " ").contains("table-list")
                ? appearance.replacing("table-list", with: "field-list") : appearance
            found.append(("appearance", try tree.xpath(shown, at: node)))
        }
        return found + (try attributes("body", of: node))
    }

    private mutating func question(_ node: FormNode) throws(FormWritingError) {
        let type = XFormType(node.type)
        let isComputed = node.text("calculation") != nil || node.text("trigger") != nil
        let isShown =
            hasLabel(node) || texts.reference(node, "hint") != nil
            || node.text("hint") != nil
        guard let element = type.control, isShown || !isComputed,
            !["csv-external", "xml-external"].contains(node.type)
        else { return }
        xml.start(
            element,
            [("ref", node.path)] + type.attributes + XFormType.controlParameters(node)
                + (try attributes(node)))
        try texts.write("label", of: node, to: &xml)
        if texts.reference(node, "hint") != nil || node.text("hint") != nil {
            try texts.write("hint", of: node, to: &xml)
        }
        if XFormWriter.isSearch(node) {
            try items(node)
        } else if RowType.hasChoices(node.type) || node.parameter("tick_labelset") != nil {
            try itemset(node)
        }
        for other in triggered[node.name] ?? [] {
            if other.type == "background-geopoint" {
                xml.element(
                    "odk:setgeopoint", [("ref", other.path), ("event", "xforms-value-changed")])
                continue
            }
            var attributes = [("ref", other.path), ("event", "xforms-value-changed")]
            if let value = other.text("calculation") {
                attributes.append(("value", try tree.xpath(value, at: node)))
            }
            xml.element("setvalue", attributes)
        }
        xml.end()
    }

    private mutating func items(_ node: FormNode) throws(FormWritingError) {
        let list = node.json["list"]?.string ?? ""
        for (index, choice) in (tree.form["lists"]?[list]?.array ?? []).enumerated() {
            xml.start("item")
            if texts.lists.contains(list) {
                xml.element("label", [("ref", "jr:itext('\(list)-\(index)')")])
            } else {
                xml.element("label", text: choice["label"]?.string ?? "")
            }
            xml.element("value", text: XFormWriter.name(of: choice))
            xml.end()
        }
    }

    private mutating func itemset(_ node: FormNode) throws(FormWritingError) {
        let list = node.parameter("tick_labelset") ?? node.json["list"]?.string ?? ""
        var value = "name"
        var label = texts.lists.contains(list) ? "jr:itext(itextId)" : "label"
        var nodeset = "instance('\(list)')/root/item"
        var filter: String?
        if let text = node.text("choice_filter") {
            filter = try tree.xpath(text, at: node, inPredicate: true)
        }
        if let file = XFormWriter.file(node) {
            let isGeo = file.hasSuffix(".geojson")
            value = node.parameter("value") ?? (isGeo ? "id" : "name")
            label = node.parameter("label") ?? (isGeo ? "title" : "label")
            nodeset = "instance('\(file[..<(file.lastIndex(of: ".") ?? file.endIndex)])')/root/item"
        } else if !References(list).isEmpty {
            // Earlier answers of a repeat are the choices.
            let path = try tree.xpath(list, at: node, fromParent: true)
            let slash = path.lastIndex(of: "/") ?? path.startIndex
            value = String(path[slash...].dropFirst())
            label = value
            nodeset = String(path[..<slash])
            if let text = node.text("choice_filter") {
                filter = try tree.xpath(text, at: node, inPredicate: true, fromParent: true)
                    .replacing("current()/\(nodeset)", with: ".").replacing(nodeset, with: ".")
            } else {
                filter = "./\(value) != ''"
            }
        }
        if let filter { nodeset += "[\(filter)]" }
        if node.parameter("randomize")?.lowercased() == "true" {
            if let seed = node.parameter("seed") {
                nodeset += ", " + (try tree.xpath(seed, at: node))
            }
            nodeset = "randomize(\(nodeset))"
        }
        xml.start("itemset", [("nodeset", nodeset)])
        xml.element("value", [("ref", value)])
        xml.element("label", [("ref", label)])
        xml.end()
    }
}
