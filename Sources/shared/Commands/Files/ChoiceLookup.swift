internal import ControlClient
internal import JSON
internal import ShareControl

/// The choices of a field's list by their names, from the form or, one by one, from the room.
final class ChoiceLookup {
    private let list: String
    private let session: Session
    private let isOwn: Bool
    private var known: [String: JSONObject?] = [:]

    /// - Parameter definition: the form, which may have the list itself.
    init(_ list: String, _ definition: JSONObject, _ session: Session) {
        self.list = list
        self.session = session
        let choices = definition["lists"]?.object?[list]?.array
        isOwn = choices != nil || list.isEmpty
        for choice in (choices ?? []).compactMap(\.object) {
            guard let name = choice["name"]?.string, known[name] == nil else { continue }
            known[name] = choice
        }
    }

    /// The columns of a choice; nil where the list has none of that name.
    func choice(_ name: String) throws(Problem) -> JSONObject? {
        if let choice = known[name] { return choice }
        guard !isOwn, !name.isEmpty else { return nil }
        let answer: ListRowsAnswer = try session.client().answer(
            session.request(
                "GET", ["lists", list], query: [("where", "name=" + name), ("limit", "1")]))
        let choice = answer.cells.first.map { cells in
            var choice = JSONObject()
            for (column, cell) in zip(answer.columns, cells) {
                choice[column] = .string(cell)
                // Of labels in several languages the first stands for all.
                if column.hasPrefix("label::"), choice["label"] == nil {
                    choice["label"] = .string(cell)
                }
            }
            return choice
        }
        known[name] = .some(choice)
        return choice
    }
}
