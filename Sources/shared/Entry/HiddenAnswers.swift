internal import JSON
internal import ShareControl

/// Answers whose question is not asked with the others as they are, and rows of which that is so:
/// another answer has hidden them, and may show them again.
struct HiddenAnswers {
    /// The paths of questions and repeats that are not asked.
    private let paths: Set<String>
    /// The repeats that are asked, by their paths: how many rows there are, and which of them, from 0,
    /// are not asked.
    private let repeats: [String: (count: Int, leftOut: Set<Int>)]

    init(_ state: EntryStateAnswer) {
        paths = Set(
            state.fields.lazy.filter {
                !$0.isRelevant && ($0.repeat != nil || Stops.isAnswered($0))
            }
            .map(\.path))
        repeats = Dictionary(
            state.fields.lazy.compactMap { field in
                guard field.isRelevant, let rows = field.repeat else { return nil }
                return (field.path, (rows.count, Set((rows.leftOut ?? []).map { $0 - 1 })))
            }, uniquingKeysWith: { first, _ in first })
    }

    /// Whether a row that was asked about is none of those that the entry has now.
    private func isLeftOut(_ place: Int, of path: String) -> Bool {
        guard let rows = repeats[path] else { return false }
        return place >= rows.count || rows.leftOut.contains(place)
    }

    /// The answers that the daemon has left, and those that it has left out as nobody asks for them,
    /// in their places.
    func added(from asked: JSONObject, to left: JSONObject) -> JSONObject {
        added(from: asked, to: left, "")
    }

    private func added(
        from asked: JSONObject, to left: JSONObject, _ around: String
    ) -> JSONObject {
        var all = left
        for member in left.members where repeats[around + member.key] != nil {
            guard let rows = member.value.array else { continue }
            all[member.key] = .array(
                added(from: asked[member.key]?.array ?? [], to: rows, around + member.key))
        }
        for member in asked.members
        where member.value != .null && (left[member.key] ?? .null) == .null {
            let path = around + member.key
            if paths.contains(path) {
                all[member.key] = member.value
            } else if repeats[path] != nil, let rows = member.value.array {
                all[member.key] = .array(added(from: rows, to: [], path))
            }
        }
        return all
    }

    /// Rows that nobody has said anything of and that are not asked have their places all the same:
    /// paths count them.
    private func added(
        from asked: [JSONValue], to left: [JSONValue], _ path: String
    ) -> [JSONValue] {
        let places = 0..<max(asked.count, repeats[path]?.count ?? 0)
        guard places.count(where: { !isLeftOut($0, of: path) }) == left.count else { return left }
        var next = left.makeIterator()
        return places.map { place in
            let was = asked.indices.contains(place) ? asked[place] : .object(JSONObject())
            guard !isLeftOut(place, of: path), let now = next.next() else { return was }
            guard let row = now.object else { return now }
            return .object(
                added(from: was.object ?? JSONObject(), to: row, "\(path)[\(place + 1)]/"))
        }
    }

    /// The answers without those that are not asked.
    ///
    /// - Parameter keepsPlaces: whether rows that are not asked stand empty before those that are.
    func left(of all: JSONObject, keepsPlaces: Bool = false) -> JSONObject {
        left(of: all, keepsPlaces, "")
    }

    private func left(
        of all: JSONObject, _ keepsPlaces: Bool, _ around: String
    ) -> JSONObject {
        var left = JSONObject()
        for member in all.members where !paths.contains(around + member.key) {
            let path = around + member.key
            guard repeats[path] != nil, let rows = member.value.array else {
                left.members.append(member)
                continue
            }
            let asked = rows.indices.filter { !isLeftOut($0, of: path) }
            if asked.isEmpty, !rows.isEmpty { continue }
            let places = keepsPlaces ? Array(0...(asked.last ?? 0)) : asked
            left[member.key] = .array(
                rows.isEmpty
                    ? []
                    : places.map { place in
                        guard !isLeftOut(place, of: path) else { return .object([:]) }
                        return rows[place].object.map {
                            .object(self.left(of: $0, keepsPlaces, "\(path)[\(place + 1)]/"))
                        } ?? rows[place]
                    })
        }
        return left
    }

    /// What is kept of them, in the order of the answers; of rows those in which something is said.
    func found(in all: JSONObject) -> [(path: String, value: JSONValue)] { found(in: all, "") }

    private func found(
        in all: JSONObject, _ around: String
    ) -> [(path: String, value: JSONValue)] {
        all.members.flatMap { member -> [(path: String, value: JSONValue)] in
            let path = around + member.key
            if member.value != .null, paths.contains(path) { return [(path, member.value)] }
            let rows = member.value.array ?? []
            let hidden = rows.indices.filter { isLeftOut($0, of: path) && Self.says(rows[$0]) }
            let inner = rows.indices.filter { !isLeftOut($0, of: path) }.flatMap { place in
                rows[place].object.map { found(in: $0, "\(path)[\(place + 1)]/") } ?? []
            }
            return inner + (hidden.isEmpty ? [] : [(path, .array(hidden.map { rows[$0] }))])
        }
    }

    private static func says(_ row: JSONValue) -> Bool {
        row.object?.members.contains { $0.key != "_id" && $0.value != .null } ?? false
    }
}
