import Foundation

/// Makes a history that shows a fault as short as it can be, for whoever has to understand it.
enum AuthorityShrinking {
    /// The lines without whatever can go, one thing after the other, as long as `shows` is true of
    /// the rest.
    static func shrink(_ lines: [String], while shows: ([String]) -> Bool) -> [String] {
        var lines = lines
        while let less = smaller(lines).first(where: shows) { lines = less }
        return lines
    }

    /// All histories that say one thing less.
    private static func smaller(_ lines: [String]) -> [[String]] {
        var all: [[String]] = []
        for place in lines.indices.dropFirst().reversed() {
            let label = lines[place].prefix { $0 != "<" && $0 != " " }
            // What comes after a batch in its log goes before it.
            guard !lines.contains(where: { $0.contains("<\(label) ") }) else { continue }
            var rest = lines
            rest.remove(at: place)
            all.append(rest)
        }
        for place in lines.indices {
            for line in shorter(lines[place]) {
                var rest = lines
                rest[place] = line
                all.append(rest)
            }
        }
        return all
    }

    private static func shorter(_ line: String) -> [String] {
        guard let space = line.firstIndex(of: " ") else { return [] }
        let label = line[...space]
        let operations = line[line.index(after: space)...].components(separatedBy: "; ")
        var all: [String] = []
        for place in operations.indices {
            if operations.count > 1 {
                var rest = operations
                rest.remove(at: place)
                all.append(label + rest.joined(separator: "; "))
            }
            for operation in plainer(operations[place]) {
                var rest = operations
                rest[place] = operation
                all.append(label + rest.joined(separator: "; "))
            }
        }
        return all
    }

    /// Without a clause, or with one name less in the last one.
    private static func plainer(_ operation: String) -> [String] {
        var all: [String] = []
        for clause in [" from [0-9]+", " covering [^ ]+", " after .+"] {
            guard let range = operation.range(of: clause, options: .regularExpression) else {
                continue
            }
            all.append(operation.replacingCharacters(in: range, with: ""))
        }
        guard let after = operation.range(of: " after ") else { return all }
        let names = operation[after.upperBound...].split(separator: " ")
        for place in names.indices where names.count > 1 {
            var rest = names
            rest.remove(at: place)
            all.append(operation[..<after.upperBound] + rest.joined(separator: " "))
        }
        return all
    }
}
