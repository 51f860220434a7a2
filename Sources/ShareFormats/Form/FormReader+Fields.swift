internal import JSON

extension FormReader {
    /// What is around a field.
    struct Surroundings {
        /// The names of groups and repeats, outermost first.
        var path: [String] = []
        var isConditional = false
    }

    mutating func readFields(
        _ elements: [JSONValue], at place: String, in around: Surroundings
    ) throws(FormError) -> [Form.Element] {
        var content: [Form.Element] = []
        path.append(.member("fields"))
        for (index, element) in elements.enumerated() {
            path.append(.element(index))
            let read = try attempt { reader throws(FormError) in
                try reader.readElement(element, at: "\(place)[\(index + 1)]", in: around)
            }
            if let read { content.append(read) }
            path.removeLast()
        }
        path.removeLast()
        return content
    }

    private mutating func readElement(
        _ tree: JSONValue, at place: String, in around: Surroundings
    ) throws(FormError) -> Form.Element {
        guard tree.object != nil else { throw shape(place, "a field", tree, "an object") }
        guard let name = try string("name", in: tree, at: place) else {
            throw FormError(
                .badFieldName, at: place, "the field has no name",
                hint: "Add \"name\": \"...\", which is also its column.")
        }
        noteMisspelt(inField: tree, name)
        let place = "\(place) \"\(FormReader.shown(name))\""
        guard let typeText = try string("type", in: tree, at: place) else {
            throw FormError(
                .badShape, at: place, "the field has no type",
                hint: "Add \"type\": one of "
                    + FieldKind.names.prefix(9).joined(separator: ", ") + " ...")
        }
        // A form copied from a spreadsheet has "select_one colours" in one cell.
        let words = typeText.split(whereSeparator: \.isWhitespace).map(String.init)
        switch words.first {
        case "group", "begin_group":
            return try readGroup(tree, name: name, at: place, in: around)
        case "repeat", "begin_repeat":
            return try readRepeat(tree, name: name, at: place, in: around)
        default:
            let isSplit = words.count == 2 && FieldKind(name: words[0]).isChoice
            let kind = FieldKind(name: isSplit ? words[0] : typeText)
            let list = try string("list", in: tree, at: place) ?? (isSplit ? words[1] : nil)
            try checkName(name, at: place)
            return .field(try readField(kind, list, name, tree, at: place, in: around))
        }
    }

    private mutating func readGroup(
        _ tree: JSONValue, name: String, at place: String, in around: Surroundings
    ) throws(FormError) -> Form.Element {
        if let fault = FormNames.fault(ofLabelled: name) {
            throw FormError(
                .badFieldName, at: place, "the name of the group: \(fault)",
                hint: "For instance mark_and_recapture.")
        }
        let group = try group(tree, name, at: place, in: around)
        return .group(
            group,
            try readFields(
                try inside(tree, at: place), at: "\(place) fields",
                in: Surroundings(
                    path: around.path + [name],
                    isConditional: around.isConditional || group.relevant != nil)))
    }

    private mutating func readRepeat(
        _ tree: JSONValue, name: String, at place: String, in around: Surroundings
    ) throws(FormError) -> Form.Element {
        // It is the name of a form of its own, after a stroke.
        if let fault = FormNames.fault(ofRepeat: name) {
            throw FormError(
                .badFieldName, at: place, "the name of the repeat: \(fault)",
                hint: "1 to 63 letters, digits and _ - . such as sighting.")
        }
        try checkNew(name, at: place)
        let group = try group(tree, name, at: place, in: around)
        let extras = try object("x", in: tree, at: place)
        let count = try expression("repeat_count", in: tree, at: place)
        let minimum = try bound("min", in: extras, at: place)
        let maximum = try bound("max", in: extras, at: place)
        if let minimum, let maximum, minimum > maximum {
            throw FormError(
                .badShape, at: place, "its min is greater than its max",
                hint: "For instance \"x\": {\"min\": 1, \"max\": 5}.", member: "x.min")
        }
        let elements = try inside(tree, at: place)
        let names = (scopes.last?.names ?? []) + [name]
        scopes.append(Scope(names: names))
        let content = try readFields(
            elements, at: "\(place) fields", in: Surroundings(path: around.path + [name]))
        scopes.removeLast()
        let fields = Form.fields(of: content)
        return .repeat(
            Form.Repeat(
                group: group, count: count, minimum: minimum, maximum: maximum, names: names,
                fields: fields, stored: fields.filter { $0.storage != nil }), content)
    }

    private func inside(_ tree: JSONValue, at place: String) throws(FormError) -> [JSONValue] {
        guard let inside = tree["fields"]?.array else {
            throw FormError(
                .badShape, at: place, "the group has no list of fields",
                hint: "Add \"fields\": [...] to it.")
        }
        return inside
    }

    private func group(
        _ tree: JSONValue, _ name: String, at place: String, in around: Surroundings
    ) throws(FormError) -> Form.Group {
        Form.Group(
            name: name, label: try label("label", in: tree, at: place),
            hint: try label("hint", in: tree, at: place),
            relevant: try expression("relevant", in: tree, at: place),
            appearance: try string("appearance", in: tree, at: place), path: around.path)
    }

    /// A bound of the number of repetitions; XLSForm writes it as text.
    private func bound(
        _ name: String, in extras: JSONObject, at place: String
    ) throws(FormError) -> Int? {
        let number: Int?
        switch extras[name] {
        case nil, .null: return nil
        case .integer(let value): number = Int(exactly: value)
        case .string(let text): number = Int(text)
        default: number = nil
        }
        guard let number, (0...FormLimits.repetitions).contains(number) else {
            throw FormError(
                .badShape, at: place, "x.\(name) should be a number of repetitions",
                hint: "From 0 to \(FormLimits.repetitions).", member: "x.\(name)")
        }
        return number
    }

    private mutating func checkName(_ name: String, at place: String) throws(FormError) {
        if let fault = FormNames.fault(ofField: name) {
            throw FormError(
                .badFieldName, at: place, "the name: \(fault)",
                hint: "1 to 63 bytes, no = \" { }, no _ in front; the label may say anything.")
        }
        try checkNew(name, at: place)
    }

    private mutating func checkNew(_ name: String, at place: String) throws(FormError) {
        let folded = FormNames.folded(name)
        if let other = scopes[scopes.count - 1].folded[folded] {
            throw FormError(
                .duplicateField, at: place,
                other == name
                    ? "a second field of this name"
                    : "\"\(other)\" and \"\(name)\" differ by upper and lower case only",
                hint: "Fields of different groups need different names too: they are columns.")
        }
        scopes[scopes.count - 1].folded[folded] = name
        scopes[scopes.count - 1].count += 1
        guard scopes[scopes.count - 1].count <= FormLimits.fields else {
            throw FormError(
                .tooMany, "more than \(FormLimits.fields) fields",
                hint: "Split the form into several.")
        }
    }

    private mutating func readField(
        _ kind: FieldKind, _ list: String?, _ name: String, _ tree: JSONValue, at place: String,
        in around: Surroundings
    ) throws(FormError) -> Form.Field {
        if kind.isChoice { try requireList(list, of: kind, name, at: place) }
        if case .unknown(let type) = kind {
            warnings.add(name, "type \"\(FormReader.shown(type))\" is not known and kept as text")
            if let hint = FieldKind.hint(forUnknown: type) {
                warnings.add(name, hint)
                if isWritten {
                    add(
                        FormError(
                            .badShape, at: place, "there is no type \"\(FormReader.shown(type))\"",
                            hint: hint.prefix(1).uppercased() + hint.dropFirst(),
                            member: "type"))
                }
            }
        }
        if kind.isMedia {
            warnings.add(name, "attachments are not supported yet; the name of a file is kept")
        }
        let extras = try object("x", in: tree, at: place)
        let expressions = try expressions(in: tree, at: place)
        let isRequired = try flag("required", in: tree, at: place) && !kind.isAutomatic
        let isReadOnly = try flag("read_only", in: tree, at: place)
        let isConditional =
            around.isConditional || expressions.relevant != nil || expressions.readOnly != nil
        return Form.Field(
            name: name, kind: kind, list: list, texts: try texts(in: tree, at: place),
            isRequired: isRequired && !isConditional && !isReadOnly
                && expressions.calculation == nil && extras["persist"] != .bool(false),
            isRequiredWhereRelevant: isRequired,
            isReadOnly: isReadOnly, expressions: expressions,
            parameters: try object("parameters", in: tree, at: place).members,
            appearance: try string("appearance", in: tree, at: place),
            unit: extras["unit"]?.string, extras: extras.members, path: around.path,
            isPersistent: extras["persist"] != .bool(false))
    }
}
