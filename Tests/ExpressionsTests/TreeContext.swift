import Foundation

@testable import Expressions

/// A form with answers and its lists, as a tree in memory.
final class TreeContext: EvaluationContext {
    private struct Entry {
        var name: String
        var parent: Int?
        var children: [Int] = []
        var value = Value.empty
        var isHidden = false
        var isRepetition = false
    }

    private var entries = [Entry(name: "", parent: nil)]
    private var lists: [String: Int] = [:]
    var now = Moment(milliseconds: 1_795_000_000_000)
    var offset: Int64 = 0
    var labels: [String: String] = [:]
    private(set) var indexedLookups = 0
    var hasIndex = false

    /// Adds an element below `parent`; the document of the form is node 0.
    @discardableResult
    func add(
        _ name: String, to parent: Node = Node(rawValue: 0), _ value: Value = .empty,
        isHidden: Bool = false, isRepetition: Bool = false
    ) -> Node {
        entries.append(
            Entry(
                name: name, parent: Int(parent.rawValue), value: value, isHidden: isHidden,
                isRepetition: isRepetition))
        entries[Int(parent.rawValue)].children.append(entries.count - 1)
        return Node(rawValue: UInt64(entries.count - 1))
    }

    /// Adds the document of a list.
    func addList(_ name: String) -> Node {
        entries.append(Entry(name: "", parent: nil))
        lists[name] = entries.count - 1
        return Node(rawValue: UInt64(entries.count - 1))
    }

    /// The node at a path such as `/data/visit[2]/age`.
    func node(_ path: String) -> Node? {
        var index = 0
        for step in path.split(separator: "/") {
            let parts = step.split(whereSeparator: { $0 == "[" || $0 == "]" })
            let same = entries[index].children.filter { entries[$0].name == parts[0] }
            let position = parts.count > 1 ? Int(parts[1]) ?? 0 : 1
            guard position >= 1, position <= same.count else { return nil }
            index = same[position - 1]
        }
        return Node(rawValue: UInt64(index))
    }

    func set(_ path: String, _ value: Value) {
        if let node = node(path) { entries[Int(node.rawValue)].value = value }
    }

    private func nodes(_ indices: [Int]) -> [Node] {
        indices.map { Node(rawValue: UInt64($0)) }
    }

    // MARK: EvaluationContext

    func offset(at moment: Moment) -> Int64 { offset }

    func document(_ instance: [UInt8]?) -> Node? {
        guard let instance else { return Node(rawValue: 0) }
        return lists[String(decoding: instance, as: UTF8.self)].map { Node(rawValue: UInt64($0)) }
    }

    func parent(of node: Node) -> Node? {
        entries[Int(node.rawValue)].parent.map { Node(rawValue: UInt64($0)) }
    }

    func name(of node: Node) -> [UInt8] { Array(entries[Int(node.rawValue)].name.utf8) }

    func position(of node: Node) -> Int {
        let entry = entries[Int(node.rawValue)]
        guard let parent = entry.parent else { return 1 }
        let same = entries[parent].children.filter { entries[$0].name == entry.name }
        return (same.firstIndex(of: Int(node.rawValue)) ?? 0) + 1
    }

    func isRepetition(_ node: Node) -> Bool { entries[Int(node.rawValue)].isRepetition }

    func children(of node: Node, named name: [UInt8]?) -> [Node] {
        let children = entries[Int(node.rawValue)].children
        guard let name else { return nodes(children) }
        return nodes(children.filter { entries[$0].name.utf8.elementsEqual(name) })
    }

    func count(of node: Node, named name: [UInt8]?) -> Int { children(of: node, named: name).count }

    func children(
        of node: Node, named name: [UInt8], where column: [UInt8], equals text: [UInt8],
        limit: Int
    ) -> [Node]? {
        guard hasIndex else { return nil }
        indexedLookups += 1
        let found = children(of: node, named: name).filter { item in
            children(of: item, named: column).contains { value(of: $0) == .string(text) }
        }
        return Array(found.prefix(limit))
    }

    func isRelevant(_ node: Node) -> Bool {
        var next: Int? = Int(node.rawValue)
        while let index = next {
            if entries[index].isHidden { return false }
            next = entries[index].parent
        }
        return true
    }

    func value(of node: Node) -> Value { entries[Int(node.rawValue)].value }

    /// The first element with the name, in depth.
    func path(ofField name: [UInt8]) -> [[UInt8]]? {
        guard let index = entries.firstIndex(where: { $0.name.utf8.elementsEqual(name) }) else {
            return nil
        }
        var names: [[UInt8]] = []
        var next: Int? = index
        while let index = next, entries[index].parent != nil {
            names.append(Array(entries[index].name.utf8))
            next = entries[index].parent
        }
        return names.reversed()
    }

    func label(ofChoice value: [UInt8], inFieldAt path: [[UInt8]]) -> [UInt8]? {
        let names = path.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/")
        return labels["\(names) \(String(decoding: value, as: UTF8.self))"].map { Array($0.utf8) }
    }

    private var random: UInt64 = 1

    func randomBits() -> UInt64 {
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return random
    }
}

/// What became of an expression, in a form that tests compare and print.
enum Outcome: Equatable {
    case value(Value)
    case failed(EvaluationError.Reason)
    case unsupported(String)
    case invalid(Int)
}

func evaluate(
    _ expression: String, at path: String = "/data", in context: TreeContext,
    steps: Int = 400_000
) -> Outcome {
    guard let node = context.node(path) else { return .failed(.missing) }
    switch Expression.parse(Array(expression.utf8)) {
    case .invalid(let error): return .invalid(error.offset)
    case .unsupported(let unsupported):
        return .unsupported(String(decoding: unsupported.what, as: UTF8.self))
    case .expression(let parsed):
        do throws(EvaluationError) {
            var budget = Budget(steps: steps)
            return .value(try parsed.value(at: node, in: context, budget: &budget))
        } catch {
            return .failed(error.reason)
        }
    }
}

extension Value: ExpressibleByStringLiteral, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral
{
    /// A text.
    public init(stringLiteral text: String) { self = .string(Array(text.utf8)) }
    /// A number.
    public init(floatLiteral number: Double) { self = .number(number) }
    /// A number.
    public init(integerLiteral number: Int) { self = .number(Double(number)) }
    /// A truth.
    public init(booleanLiteral truth: Bool) { self = .boolean(truth) }
}
