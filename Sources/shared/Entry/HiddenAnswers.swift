internal import JSON
internal import ShareControl

/// Answers whose question is not asked with the others as they are: another answer has hidden it, and
/// may show it again.
struct HiddenAnswers {
    /// The paths of what is not asked.
    private let paths: Set<String>

    init(_ state: EntryStateAnswer) {
        paths = Set(
            state.fields.lazy.filter {
                !$0.isRelevant && ($0.repeat != nil || Stops.isAnswered($0))
            }
            .map(\.path))
    }

    /// The answers that the daemon has left, and those that it has left out as nobody asks for them.
    func added(from asked: JSONObject, to left: JSONObject) -> JSONObject {
        added(from: asked, to: left, "")
    }

    private func added(
        from asked: JSONObject, to left: JSONObject, _ around: String
    ) -> JSONObject {
        var all = left
        for member in asked.members where member.value != .null {
            let path = around + member.key
            switch left[member.key] {
            case nil, .null?:
                if paths.contains(path) { all[member.key] = member.value }
            case .array(let rows)?:
                // Rows that are left out move those behind them: which is which is not known then.
                guard let before = member.value.array, before.count == rows.count else { continue }
                all[member.key] = .array(
                    zip(before, rows).enumerated().map { place, pair in
                        guard let was = pair.0.object, let now = pair.1.object else {
                            return pair.1
                        }
                        return .object(added(from: was, to: now, "\(path)[\(place + 1)]/"))
                    })
            default: continue
            }
        }
        return all
    }

    /// What is kept of them, in the order of the answers.
    func found(in all: JSONObject) -> [(path: String, value: JSONValue)] { found(in: all, "") }

    private func found(
        in all: JSONObject, _ around: String
    ) -> [(path: String, value: JSONValue)] {
        all.members.flatMap { member -> [(path: String, value: JSONValue)] in
            let path = around + member.key
            if member.value != .null, paths.contains(path) { return [(path, member.value)] }
            return (member.value.array ?? []).enumerated().flatMap { place, row in
                row.object.map { found(in: $0, "\(path)[\(place + 1)]/") } ?? []
            }
        }
    }
}
