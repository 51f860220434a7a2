internal import JSON

/// What the command line reads of a view.
struct ViewOutline {
    private let members: JSONObject
    /// Whether it is about no entry at all.
    private var isEmpty = false

    init(_ members: JSONObject) { self.members = members }

    /// The same view of no entries.
    var withoutEntries: ViewOutline {
        var view = self
        view.isEmpty = true
        return view
    }

    private func text(_ name: String) -> String? { members[name]?.string }

    var name: String { text("name") ?? "" }
    var kind: String { text("kind") ?? "" }
    var form: String { text("form") ?? "" }
    var list: String { text("list") ?? "" }
    var goal: JSONValue? { members["goal"] }
    var by: String? { text("by") }
    var chart: String { text("chart") ?? "bar" }
    var aggregate: String { text("agg") ?? "count" }
    var isFigure: Bool { kind == "figure" || kind == "target" }

    var title: String {
        if let title = text("title") { return title }
        return members["title"]?.object?.members.first?.value.string ?? ""
    }

    var conditions: [(name: String, value: String)] {
        let none = isEmpty ? [(name: "where", value: "false()")] : []
        return none + (text("where").map { [(name: "where", value: $0)] } ?? [])
    }

    /// Those of some members that it has.
    func named(_ names: [String]) -> [(name: String, value: String)] {
        names.compactMap { name in text(name).map { (name: name, value: $0) } }
    }

    private func texts(_ name: String) -> [String] {
        members[name]?.array?.compactMap(\.string) ?? []
    }

    var columns: [String]? { texts("columns").isEmpty ? nil : texts("columns") }

    /// The order and number of rows.
    var rows: [(name: String, value: String)] {
        var rows = texts("sort").map { (name: "sort", value: $0) }
        if case .integer(let limit)? = members["limit"] { rows.append(("limit", "\(limit)")) }
        return rows
    }

    /// A number in its unit, with the goal beside it; `-` where there is no number.
    func text(_ value: Double?, _ unit: String?) -> String {
        let unit = unit.map { $0 == "%" ? "%" : " \(Terminal.plain($0))" } ?? ""
        var text = "-"
        if let value {
            if case .integer(let places)? = members["decimals"] {
                text = Self.fixed(value, Int(places))
            } else {
                text = StatsCommand.number(value)
            }
            text += unit
        }
        return kind == "target" ? "\(text) of \(Text.value(goal))\(unit)" : text
    }

    private static func fixed(_ value: Double, _ places: Int) -> String {
        let places = min(max(places, 0), 6)
        var scale = 1.0
        for _ in 0..<places { scale *= 10 }
        let rounded = (value.magnitude * scale).rounded()
        guard rounded < 1e15 else { return StatsCommand.number(value) }
        let whole = Int(rounded / scale)
        let sign = value < 0 && rounded > 0 ? "-" : ""
        guard places > 0 else { return "\(sign)\(whole)" }
        let digits = String(Int(rounded) % Int(scale))
        return "\(sign)\(whole)." + String(repeating: "0", count: places - digits.count) + digits
    }
}
