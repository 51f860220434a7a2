internal import JSON

/// The views of a room in their order, as a file of JSON says them.
package struct RoomViews: Hashable, Sendable {
    package let views: [RoomView]

    /// How many views a room may have.
    package static let limit = 100

    /// Reads `{"views": […]}`.
    ///
    /// - Throws: `FormError`: where in the file, what, and a hint.
    package init(json: [UInt8]) throws(FormError) {
        let tree: JSONValue
        do {
            tree = try JSONValue(text: json)
        } catch {
            throw FormError(
                .badJSON, "not valid JSON: \(error)",
                hint: "Views are one JSON object in UTF-8: {\"views\": [...]}.")
        }
        guard let list = tree["views"]?.array else {
            throw FormError(
                .badShape, "there is no list \"views\"",
                hint: "For instance {\"views\": [{\"name\": \"all\", \"kind\": \"figure\", ...}]}.")
        }
        guard list.count <= RoomViews.limit else {
            throw FormError(
                .tooMany, "\(list.count) views; at most \(RoomViews.limit) are possible",
                hint: "Leave out what nobody looks at.")
        }
        var views: [RoomView] = []
        for (index, tree) in list.enumerated() {
            let view = try ViewReader(tree, index).view()
            if views.contains(where: { $0.name == view.name }) {
                throw FormError(
                    .badShape, at: "views[\(index + 1)]", "there are two views \"\(view.name)\"",
                    hint: "Each name once.")
            }
            views.append(view)
        }
        self.views = views
    }
}

/// Reads one view.
private struct ViewReader {
    let members: JSONObject
    let place: String

    init(_ tree: JSONValue, _ index: Int) throws(FormError) {
        let name = tree["name"]?.string.map { " \"\(FormReader.shown($0))\"" } ?? ""
        place = "views[\(index + 1)]\(name)"
        guard let members = tree.object else {
            throw FormError(
                .badShape, at: place, "should be an object, found \(tree.kind)",
                hint: "For instance {\"name\": \"all\", \"kind\": \"figure\", \"form\": \"visit\"}."
            )
        }
        self.members = members
    }

    func view() throws(FormError) -> RoomView {
        let name = try required("name")
        let isWord = name.utf8.allSatisfy {
            (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0)
                || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
        }
        guard isWord, !name.isEmpty, name.utf8.count <= 63 else {
            throw fault("a name has 1 to 63 letters, digits, - and _", hint: "For instance by-day.")
        }
        let kind = try kind()
        try refuseUnknown(kind)
        return RoomView(
            name: name, title: try LocalizedText(members["title"], name: "title", at: place),
            form: try form(of: kind), condition: try text("where"), kind: kind)
    }

    private func kind() throws(FormError) -> RoomView.Kind {
        switch try word("kind", of: Array(ViewReader.members.keys).sorted()) {
        case "figure": return .figure(try figure())
        case "target":
            guard let goal = number(members["goal"]) else {
                throw fault("a target needs its goal", hint: "For instance \"goal\": 20.")
            }
            guard goal > 0 else {
                throw fault(
                    "\"goal\" is \(NumberText.shortest(goal))", hint: "It is a number above 0.")
            }
            return .target(try figure(), goal: goal)
        case "chart":
            let styles = ["pie", "bar", "line", "histogram", "points"]
            let period =
                members["period"] == nil ? nil : try word("period", of: ["day", "week", "month"])
            return .chart(
                style: try word("chart", of: styles), try figure(), period: period,
                along: try text("along"))
        case "table":
            return .table(
                columns: try texts("columns"), sort: try texts("sort"),
                limit: try whole("limit", in: 1...1_000_000))
        default: return .search(group: try text("group"))
        }
    }

    private func figure() throws(FormError) -> RoomView.Figure {
        let words = ["count", "sum", "mean", "min", "max", "median"]
        let aggregate = members["agg"] == nil ? "count" : try word("agg", of: words)
        let field = try text("field")
        if aggregate != "count", field == nil {
            throw fault("\(aggregate) needs a field", hint: "For instance \"field\": \"members\".")
        }
        return RoomView.Figure(
            aggregate: aggregate, field: field, weight: try text("weight"), by: try text("by"),
            decimals: try whole("decimals", in: 0...6))
    }

    private func form(of kind: RoomView.Kind) throws(FormError) -> String? {
        if let form = try text("form") { return form }
        if case .search = kind { return nil }
        throw fault("its form is missing", hint: "For instance \"form\": \"visit\".")
    }

    // MARK: Members

    /// The members that each kind has beside name, title, kind, form and where.
    private static let members: [String: [String]] = [
        "figure": ["agg", "field", "weight", "by", "decimals"],
        "target": ["agg", "field", "weight", "by", "decimals", "goal"],
        "chart": ["agg", "field", "weight", "by", "decimals", "chart", "period", "along"],
        "table": ["columns", "sort", "limit"],
        "search": ["list", "group"],
    ]

    private func refuseUnknown(_ kind: RoomView.Kind) throws(FormError) {
        let known =
            ["name", "title", "kind", "form", "where"] + ViewReader.members[kind.name, default: []]
        for member in members.members where !known.contains(member.key) {
            throw fault(
                "a \(kind.name) has no \"\(FormReader.shown(member.key))\"",
                hint: Suggestion.hint(for: member.key, among: known, otherwise: ""))
        }
    }

    private func required(_ name: String) throws(FormError) -> String {
        guard let text = try text(name) else {
            throw fault("\"\(name)\" is missing", hint: "Every view has a name and a kind.")
        }
        return text
    }

    private func text(_ name: String) throws(FormError) -> String? {
        switch members[name] {
        case nil, .null: return nil
        case .string(let text):
            guard !text.isEmpty, text.utf8.count <= 1_024 else {
                throw fault("\"\(name)\" is empty or longer than 1,024 bytes", hint: "Shorten it.")
            }
            return text
        case .some(let other): throw shape(name, other, "a text")
        }
    }

    private func texts(_ name: String) throws(FormError) -> [String] {
        guard let tree = members[name] else { return [] }
        guard let list = tree.array, list.count <= FormLimits.fields else {
            throw shape(name, tree, "a list of texts")
        }
        var texts: [String] = []
        for element in list {
            guard let text = element.string else { throw shape(name, element, "a list of texts") }
            texts.append(text)
        }
        return texts
    }

    private func word(_ name: String, of words: [String]) throws(FormError) -> String {
        let word = try required(name)
        guard words.contains(word) else {
            throw fault(
                "\"\(name)\" is \"\(FormReader.shown(word))\"",
                hint: Suggestion.hint(for: word, among: words, otherwise: ""))
        }
        return word
    }

    private func whole(_ name: String, in range: ClosedRange<Int64>) throws(FormError) -> Int? {
        guard let tree = members[name] else { return nil }
        guard case .integer(let number) = tree else { throw shape(name, tree, "a whole number") }
        guard range.contains(number) else {
            throw fault(
                "\"\(name)\" is \(number)",
                hint: "It is a whole number from \(range.lowerBound) to \(range.upperBound).")
        }
        return Int(number)
    }

    private func number(_ tree: JSONValue?) -> Double? {
        switch tree {
        case .integer(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }

    private func fault(_ detail: String, hint: String) -> FormError {
        FormError(.badShape, at: place, detail, hint: hint)
    }

    private func shape(_ name: String, _ found: JSONValue, _ wanted: String) -> FormError {
        fault(
            "\"\(name)\" should be \(wanted), found \(found.kind)",
            hint: "See docs/analysis.md for what a view looks like.")
    }
}
