internal import JSON
internal import ShareControl

/// Rows of repeats: one more, one less, on to what follows.
extension Interview {
    mutating func answer(_ typed: String, toMore path: String) -> Step {
        switch typed.lowercased() {
        case "<": return back()
        case "y", "yes", "+": return addOne(path)
        case "-":
            let list = answers.repetitions(at: path)
            guard !list.isEmpty else { return ask(.more(path)) }
            pending = .fewer(path)
            return request(answers.setting(.array(list.dropLast()), at: path))
        case "", "n", "no": return passed()
        default:
            lines.append(
                Line(
                    text: "y for one more, Enter for no more, - takes the last one away, < back.",
                    kind: .aside, indent: 2))
            return ask(.more(path), again: true)
        }
    }

    mutating func addOne(_ path: String) -> Step {
        pending = .more(path)
        if let stop { self.path.append(stop) }
        let more = answers.repetitions(at: path) + [.object(JSONObject())]
        answers.open("\(path)[\(more.count)]")
        // After all of the row, whether there is another one.
        if reviews { called.insert(.more(path)) }
        return request(answers.setting(.array(more), at: path))
    }
}
