import Foundation
import ShareTestKit
import Testing

@testable import Expressions

/// Expressions with the values that other engines give, as `Tests/interop/expressions` writes them.
///
/// `EXPRESSIONS_TABLE=FILE` checks another table, such as a larger one.
struct TableTests {
    @Test(arguments: tables) func `every value is that of the other engine`(_ file: URL) throws {
        let table = try Table(file)
        #expect(table.cases.count >= 500)
        var differences: [String] = []
        for line in table.cases {
            let found = evaluate(line.expression, at: line.path, in: line.context)
            if !line.accepts(found) {
                differences.append(
                    "\(line.path): \(line.expression) is \(found), not \(line.kind) \(line.value)")
            }
        }
        #expect(
            differences.isEmpty,
            "\(differences.count): \(differences.prefix(40).joined(separator: "\n"))")
    }

    static var tables: [URL] {
        if let path = ProcessInfo.processInfo.environment["EXPRESSIONS_TABLE"] {
            return [URL(filePath: path)]
        }
        let vectors = Repository.url("Tests/Vectors")
        return ["expressions-javarosa.tsv", "expressions-libxml2.tsv"].map {
            vectors.appending(path: $0)
        }
    }
}

/// A table: documents, lists, and the expressions that are evaluated with them.
private struct Table {
    struct Case {
        let context: TreeContext
        let path: String
        let expression: String
        /// `n` a number, `a` one that differs in its last digits, `s` a text, `b` a boolean, `d` a
        /// date, `!` none.
        let kind: String
        let value: String

        func accepts(_ outcome: Outcome) -> Bool {
            guard case .value(let found) = outcome else { return kind == "!" }
            switch (kind, found) {
            case ("n", .number(let number)):
                return number == Double(value) || number.isNaN && value == "NaN"
            case ("a", .number(let number)):
                let expected = Double(value) ?? .nan
                if number == expected || number.isNaN && expected.isNaN { return true }
                return abs(number - expected) <= max(abs(expected) * 1e-13, 1e-15)
            case ("s", .string(let text)): return text == Array(value.utf8)
            case ("b", .boolean(let truth)): return value == "\(truth)"
            case ("d", .date(let moment)): return value == "\(moment.milliseconds)"
            default: return false
            }
        }
    }

    private(set) var cases: [Case] = []

    init(_ file: URL) throws {
        var context = TreeContext()
        var zone: Int64 = 0
        var parents: [Node] = []
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
                .map(Table.unescaped)
            switch fields[0] {
            case "zone":
                zone = (Int64(fields[1]) ?? 0) * 60_000
            case "document":
                context = TreeContext()
                context.offset = zone
                parents = [Node(rawValue: 0)]
            case "list":
                parents = [context.addList(fields[1])]
            case "n":
                parents.removeSubrange(((Int(fields[1]) ?? 0) + 1)...)
                guard let parent = parents.last else { continue }
                parents.append(
                    context.add(
                        fields[2], to: parent,
                        Table.value(fields[3], Array(fields[4].utf8), zone: context),
                        isHidden: fields[3] == "hidden", isRepetition: fields[3] == "repeat"))
            case "c":
                cases.append(
                    Case(
                        context: context, path: fields[1], expression: fields[2], kind: fields[3],
                        value: fields[4]))
            default:
                break
            }
        }
    }

    private static func value(_ kind: String, _ text: [UInt8], zone: TreeContext) -> Value {
        guard !text.isEmpty else { return .empty }
        switch kind {
        case "n", "f": return .number(Value.number(parsing: text))
        case "d", "t": return Moment(parsing: text, in: zone).map(Value.date) ?? .empty
        case "g", "p":
            // A place is shown with all its numbers, as a form engine keeps it.
            let points = text.split(separator: UInt8(ascii: ";")).map { point in
                Array(point).words.map { DecimalNumber(Value.number(parsing: Array($0))).text }
                    .joined(separator: [0x20])
            }
            return .string(Array(points.joined(separator: [UInt8(ascii: ";"), 0x20])))
        default: return .string(text)
        }
    }

    private static func unescaped(_ field: Substring) -> String {
        var text = ""
        var isEscaped = false
        for character in field {
            if isEscaped {
                text.append(["n": "\n", "t": "\t", "r": "\r"][character] ?? character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else {
                text.append(character)
            }
        }
        return text
    }
}
