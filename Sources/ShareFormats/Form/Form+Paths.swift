/// How people name an answer in a repeat.
extension Form {
    /// What is wrong with a path to an answer, `person[2]/age`: groups are left out of it, and repeats
    /// numbered; nil where it has neither.
    func hint(ofPath path: String) -> String? {
        let words = path.split(separator: "/").map(String.init)
        let names = words.map { word in
            FormNames.folded(word.firstIndex(of: "[").map { String(word[..<$0]) } ?? word)
        }
        let repeats = Set(repeats.map { FormNames.folded($0.name) })
        let groups = Set(Self.groups(of: content).map { FormNames.folded($0.name) })
            .subtracting(repeats)
        if let group = names.firstIndex(where: groups.contains) {
            let rest = zip(words, names).filter { !groups.contains($1) }.map(\.0)
            let name = words[group].split(separator: "[")[0]
            return "\(name) is a group, and groups are left out: "
                + (rest.isEmpty
                    ? "its questions are named by themselves."
                    : "\(rest.joined(separator: "/")).")
        }
        guard words.count > 1,
            let index = names.dropLast().indices.first(where: {
                repeats.contains(names[$0]) && words[$0].last != "]"
            })
        else { return nil }
        return
            "\(words[index]) is a repeat: number it from 1, \(words[index])[1]/\(words[index + 1])."
    }

    private static func groups(of content: [Element]) -> [Group] {
        content.flatMap { element -> [Group] in
            switch element {
            case .field: []
            case .group(let group, let inner): [group] + groups(of: inner)
            case .repeat(_, let inner): groups(of: inner)
            }
        }
    }
}
