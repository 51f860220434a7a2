internal import JSON
internal import ShareFormats
internal import Spreadsheet

/// The reason why no XForm or XLSForm can be written of a definition.
package enum FormWritingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A member is not what a definition has there; the path is in words.
    case badShape(path: String, expected: String)
    /// An expression or text of a field refers to a question that is not there.
    case unknownReference(name: String, field: String)

    /// One clause for people, without a full stop.
    package var description: String {
        switch self {
        case .badShape(let path, let expected): "\(path) is not \(expected)"
        case .unknownReference(let name, let field):
            "\(field) refers to \(name), and there is no question of that name"
        }
    }
}

extension JSONValue {
    /// The member of that name, where this is an object that has it.
    subscript(key: String) -> JSONValue? { object?[key] }
}

/// A field, group or repeat of a form, in its place.
final class FormNode {
    let name: String
    let type: String
    let json: JSONObject
    private(set) weak var parent: FormNode?
    private(set) var children: [FormNode] = []
    /// The path of its element in an instance of the form.
    let path: String

    init(name: String, type: String, json: JSONObject, parent: FormNode?) {
        self.name = name
        self.type = type
        self.json = json
        self.parent = parent
        path = (parent?.path ?? "") + "/" + name
        parent?.children.append(self)
    }

    var isRepeat: Bool { type == "repeat" }
    var isContainer: Bool { type == "repeat" || type == "group" }

    /// The text of a member; whole numbers and truth values as expressions write them.
    func text(_ key: String) -> String? {
        switch json[key] {
        case .string(let text): text.isEmpty ? nil : text
        case .bool(let flag): flag ? "true()" : "false()"
        case .integer(let number): String(number)
        case .double(let number): number.description
        default: nil
        }
    }

    func parameter(_ name: String) -> String? { json["parameters"]?[name]?.plainText }

    /// The groups and repeats around it, innermost first, with the form itself at the end.
    var ancestors: [FormNode] {
        var found: [FormNode] = []
        var next = parent
        while let node = next {
            found.append(node)
            next = node.parent
        }
        return found
    }

    /// It and all below, in the order of the form.
    func walk(_ body: (FormNode) throws(FormWritingError) -> Void) throws(FormWritingError) {
        try body(self)
        for child in children { try child.walk(body) }
    }
}

/// The fields of a form as a tree that knows the names in it.
final class FormTree {
    let form: JSONObject
    let root: FormNode
    private var named: [String: [FormNode]] = [:]

    /// - Throws: `badShape`.
    init(_ form: JSONObject) throws(FormWritingError) {
        self.form = form
        root = FormNode(
            name: form["settings"]?["name"]?.string ?? "data", type: "form", json: form,
            parent: nil)
        try add(form["fields"], to: root, "fields")
    }

    private func add(
        _ fields: JSONValue?, to parent: FormNode, _ path: String
    ) throws(FormWritingError) {
        guard let fields = fields?.array else {
            throw .badShape(path: path, expected: "a list of fields")
        }
        for (index, field) in fields.enumerated() {
            let path = "\(path)[\(index + 1)]"
            guard let json = field.object, let name = FormTree.name(of: json),
                let type = json["type"]?.string
            else { throw .badShape(path: path, expected: "a field with name and type") }
            if type == "repeat", let count = json["repeat_count"]?.string,
                References(count).pieces.count != 1 || References(count).isEmpty
            {
                // The count of a repeat is a path: a hidden field computes any other.
                note(
                    FormNode(
                        name: name + "_count", type: "calculate",
                        json: ["calculation": .string(count), "read_only": .bool(true)],
                        parent: parent))
            }
            let node = FormNode(name: name, type: type, json: json, parent: parent)
            note(node)
            if node.isContainer { try add(json["fields"], to: node, "\(path).fields") }
        }
    }

    /// The name of a field in paths, which may be another than that of its column.
    static func name(of field: JSONObject) -> String? {
        field["x"]?.object?["node"]?.string ?? field["name"]?.string
    }

    private func note(_ node: FormNode) { named[node.name, default: []].append(node) }

    /// The field that a name means at `node`: where several have it, the one with most groups in
    /// common.
    func target(_ name: String, from node: FormNode) throws(FormWritingError) -> FormNode {
        guard let found = named[name], let first = found.first else {
            throw .unknownReference(name: name, field: node.name)
        }
        guard found.count > 1 else { return first }
        func shared(_ other: FormNode) -> Int {
            let around = node.ancestors
            return other.ancestors.count { ancestor in around.contains { $0 === ancestor } }
        }
        var best = first
        for other in found.dropFirst() where shared(other) > shared(best) { best = other }
        return best
    }

    /// An expression with paths in place of its references, as XPath from `node`.
    ///
    /// Within one repeat a path is relative, so that it stays within one round of it; in a
    /// predicate it starts at `current()`. `fromParent` asks for the path to all rounds.
    func xpath(
        _ text: String, at node: FormNode, inPredicate: Bool = false, fromParent: Bool = false
    ) throws(FormWritingError) -> String {
        let pieces = References(text).pieces
        let usesInstance = text.contains("instance(")
        var result = ""
        var before = ""
        for piece in pieces {
            switch piece {
            case .text(let text):
                result += text
                before += text
            case .reference("instanceID", let isLastSaved) where named["instanceID"] == nil:
                result += isLastSaved ? " instance('__last-saved')" : " "
                result += "/\(root.name)/meta/instanceID "
            case .reference(let name, let isLastSaved):
                let target = try target(name, from: node)
                let argument = FormTree.argumentOfIndexedRepeat(before)
                let isAbsolute = isLastSaved || argument.map { [0, 1, 3, 5].contains($0) } ?? false
                let isWithin = inPredicate || usesInstance && FormTree.isInBrackets(before)
                let relative = isAbsolute ? nil : relativePath(target, node, fromParent)
                if let relative {
                    result += isWithin ? " current()/\(relative) " : " \(relative) "
                } else {
                    result += isLastSaved ? " instance('__last-saved')" : " "
                    result += target.path + " "
                }
            }
        }
        return pieces.count == 1 || !References(text).isEmpty ? result.trimmed : result
    }

    /// The path from `source` to `target` where a repeat holds both; nil elsewhere.
    private func relativePath(
        _ target: FormNode, _ source: FormNode, _ fromParent: Bool
    ) -> String? {
        let sources = source.ancestors
        let targets = target.ancestors
        func isCommon(_ node: FormNode) -> Bool { targets.contains { $0 === node } }
        guard let common = sources.firstIndex(where: { $0.isRepeat && isCommon($0) }),
            var nearest = sources.firstIndex(where: isCommon)
        else { return nil }
        if fromParent {
            let outer = sources[common]
            let innermostOfTarget = targets.first { $0.isRepeat }
            let innermostOfSource = sources.first { $0.isRepeat }
            let isOutermost = !outer.ancestors.contains { $0.isRepeat }
            if innermostOfTarget === outer, isOutermost || innermostOfSource !== outer {
                nearest = common + 1
            }
        }
        let up = Array(repeating: "..", count: nearest + 1).joined(separator: "/")
        return up + target.path.dropFirst(sources[nearest].path.count)
    }

    /// Which argument of `indexed-repeat` stands after the text; nil where none is open.
    private static func argumentOfIndexedRepeat(_ before: String) -> Int? {
        let call = "indexed-repeat("
        guard let start = before.ranges(of: call).last else { return nil }
        var depth = 0
        var argument = 0
        for byte in before[start.upperBound...].utf8 {
            switch byte {
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"): depth -= 1
            case UInt8(ascii: ",") where depth == 0: argument += 1
            default: break
            }
            if depth < 0 { return nil }
        }
        return argument
    }

    private static func isInBrackets(_ before: String) -> Bool {
        before.utf8.reduce(0) { depth, byte in
            byte == UInt8(ascii: "[") ? depth + 1 : byte == UInt8(ascii: "]") ? depth - 1 : depth
        } > 0
    }
}
