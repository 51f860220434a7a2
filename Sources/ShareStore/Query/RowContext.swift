import Expressions
import Glibc
import ShareCore

/// One record as an expression sees it: a group with a node for each field, and for what every
/// record has.
final class RowContext: EvaluationContext {
    /// The values by `Subject`'s place; read for each record anew.
    var values: [Value]
    private let names: [[UInt8]]
    let now: Moment

    /// Above the record, and the record itself; fields follow.
    private static let document = Node(rawValue: 0)
    static let record = Node(rawValue: 1)
    private static let firstField: UInt64 = 2

    private let label: RecordExpression.Label

    init(names: [[UInt8]], now: Moment, label: @escaping RecordExpression.Label) {
        self.names = names
        self.now = now
        self.label = label
        values = Array(repeating: .empty, count: names.count)
    }

    private func field(_ node: Node) -> Int? {
        guard node.rawValue >= RowContext.firstField else { return nil }
        return Int(node.rawValue - RowContext.firstField)
    }

    private func node(named name: [UInt8]) -> Node? {
        names.firstIndex(of: name).map { Node(rawValue: UInt64($0) + RowContext.firstField) }
    }

    func document(_ instance: [UInt8]?) -> Node? { instance == nil ? RowContext.document : nil }

    func parent(of node: Node) -> Node? {
        switch node {
        case RowContext.document: nil
        case RowContext.record: RowContext.document
        default: RowContext.record
        }
    }

    func name(of node: Node) -> [UInt8] { field(node).map { names[$0] } ?? [] }
    func position(of node: Node) -> Int { 1 }
    func isRepetition(_ node: Node) -> Bool { false }

    func children(of node: Node, named name: [UInt8]?) -> [Node] {
        switch node {
        case RowContext.document: return [RowContext.record]
        case RowContext.record:
            if let name { return self.node(named: name).map { [$0] } ?? [] }
            return names.indices.map { Node(rawValue: UInt64($0) + RowContext.firstField) }
        default: return []
        }
    }

    func count(of node: Node, named name: [UInt8]?) -> Int {
        switch node {
        case RowContext.document: 1
        case RowContext.record: name == nil ? names.count : 1
        default: 0
        }
    }

    func isRelevant(_ node: Node) -> Bool { true }
    func value(of node: Node) -> Value { field(node).map { values[$0] } ?? .empty }
    func path(ofField name: [UInt8]) -> [[UInt8]]? {
        node(named: name) == nil ? nil : [Array("data".utf8), name]
    }
    func node(ofField name: [UInt8], seenFrom node: Node) -> Node? { self.node(named: name) }

    func label(ofChoice value: [UInt8], inFieldAt path: [[UInt8]]) -> [UInt8]? {
        guard let field = path.last else { return nil }
        return label(String(decoding: value, as: UTF8.self), String(decoding: field, as: UTF8.self))
            .map { Array($0.utf8) }
    }

    func randomBits() -> UInt64 { UInt64.random(in: 0 ... .max) }

    func offset(at moment: Moment) -> Int64 { LocalTime.offset(at: moment.milliseconds) }
}

/// The time zone of this device.
package enum LocalTime {
    /// The milliseconds since 1970 of a day with a time of day, `2026-11-23T12:00`, by this device's
    /// clock where it names no offset; nil for anything else.
    package static func moment(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.contains(UInt8(ascii: "T")) else { return nil }
        return Moment(parsing: bytes, in: Here())?.milliseconds
    }

    private final class Here: Zone {
        func offset(at moment: Moment) -> Int64 { LocalTime.offset(at: moment.milliseconds) }
    }

    /// Milliseconds that local time is ahead of UTC, at so many since 1970.
    package static func offset(at milliseconds: Int64) -> Int64 {
        var seconds = time_t(milliseconds / 1_000)
        var local = tm()
        guard localtime_r(&seconds, &local) != nil else { return 0 }
        return Int64(local.tm_gmtoff) * 1_000
    }
}
