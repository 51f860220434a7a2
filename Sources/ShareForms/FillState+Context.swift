package import Expressions
internal import Glibc
internal import ShareCore
internal import ShareFormats

extension FillState: EvaluationContext {
    package func offset(at moment: Moment) -> Int64 { setting.offset(moment) }

    package var now: Moment { setting.now }

    package func randomBits() -> UInt64 { setting.randomBits() }

    package var version: [UInt8] { Array(questionnaire.form.version.utf8) }

    package func property(_ name: [UInt8]) -> [UInt8]? {
        switch String(decoding: name, as: UTF8.self) {
        case "deviceid", "device id": Array(setting.deviceID.utf8)
        case "username": Array(setting.username.utf8)
        default: nil
        }
    }

    // MARK: The tree

    package func document(_ instance: [UInt8]?) -> Node? {
        guard let instance else { return EntryNode.document.handle }
        return list(String(decoding: instance, as: UTF8.self)).map {
            EntryNode.list($0.position).handle
        }
    }

    package func parent(of node: Node) -> Node? {
        switch EntryNode(node) {
        case .document, .list: nil
        case .field(let node):
            tree[node].parent < 0
                ? EntryNode.document.handle : EntryNode.field(tree[node].parent).handle
        case .rows(let list): EntryNode.list(list).handle
        case .row(let list, _): EntryNode.rows(list).handle
        case .cell(let list, let row, _): EntryNode.row(list: list, row: row).handle
        }
    }

    package func name(of node: Node) -> [UInt8] {
        switch EntryNode(node) {
        case .document, .list: []
        case .field(let node): tree.item(of: node).name
        case .rows: Array("root".utf8)
        case .row: Array("item".utf8)
        case .cell(let list, _, let column): rows(list)?.columns[column] ?? []
        }
    }

    package func position(of node: Node) -> Int {
        switch EntryNode(node) {
        case .field(let node): tree[node].position
        case .row(_, let row): row + 1
        case .document, .list, .rows, .cell: 1
        }
    }

    package func isRepetition(_ node: Node) -> Bool {
        if case .field(let node) = EntryNode(node) { tree.item(of: node).isRepeat } else { false }
    }

    package func children(of node: Node, named name: [UInt8]?) -> [Node] {
        switch EntryNode(node) {
        case .document: return [EntryNode.field(0).handle]
        case .field(let node):
            return ranges(in: node, named: name).joined().map { EntryNode.field($0).handle }
        case .list(let list): return [EntryNode.rows(list).handle]
        case .rows(let list):
            guard let rows = rows(list) else { return [] }
            let all = rows.all
            return kept(all, of: rows).map { EntryNode.row(list: list, row: $0).handle }
        case .row(let list, let row):
            let columns = rows(list)?.columns ?? []
            guard let name else {
                return columns.indices.map {
                    EntryNode.cell(list: list, row: row, column: $0).handle
                }
            }
            return columns.firstIndex(of: name).map {
                [EntryNode.cell(list: list, row: row, column: $0).handle]
            } ?? []
        case .cell: return []
        }
    }

    /// The children of a node of the entry: those of one name stand together.
    private func ranges(in node: Int, named name: [UInt8]?) -> [Range<Int>] {
        guard let name else { return [tree.children(of: node)] }
        let parent = tree[node].item
        return (questionnaire.named[name] ?? []).filter {
            questionnaire.items[$0].parent == parent && questionnaire.items[$0].name == name
        }.map { tree.children(of: node, $0) }
    }

    package func count(of node: Node, named name: [UInt8]?) -> Int {
        switch EntryNode(node) {
        case .field(let node): ranges(in: node, named: name).reduce(0) { $0 + $1.count }
        case .rows(let list): rows(list)?.count ?? 0
        case .row(let list, _): name == nil ? rows(list)?.columns.count ?? 0 : 1
        case .document, .list: 1
        case .cell: 0
        }
    }

    package func children(
        of node: Node, named name: [UInt8], where column: [UInt8], equals text: [UInt8],
        limit: Int
    ) -> [Node]? {
        guard case .rows(let list) = EntryNode(node), let rows = rows(list) else { return nil }
        guard let column = rows.columns.firstIndex(of: column) else {
            return text.isEmpty ? nil : []
        }
        guard let found = rows.rows(where: column, equals: text, limit: limit) else { return nil }
        return kept(found, of: rows).map { EntryNode.row(list: list, row: $0).handle }
    }

    /// The rows that an expression is given of those that were found.
    private func kept(_ found: [Int], of rows: any ChoiceRows) -> [Int] {
        guard rows.isCut else { return found }
        leftOut = true
        return isListing ? found : []
    }

    package func lookupCost(of node: Node, where column: [UInt8]) -> LookupCost {
        guard case .rows(let list) = EntryNode(node), let rows = rows(list),
            let column = rows.columns.firstIndex(of: column)
        else { return LookupCost() }
        return rows.lookupCost(column)
    }

    package func cost(of node: Node) -> Int {
        if case .row(let list, _) = EntryNode(node) { rows(list)?.cost ?? 0 } else { 0 }
    }

    package func isRelevant(_ node: Node) -> Bool {
        if case .field(let node) = EntryNode(node) { tree[node].isRelevant } else { true }
    }

    package func value(of node: Node) -> Value {
        switch EntryNode(node) {
        case .field(let node):
            let traits = questionnaire.traits[tree[node].item]
            guard traits.isField else { return .empty }
            if let found = PlainValue.value(tree[node].value, as: tree[node].computed, in: self) {
                return found
            }
            return PlainValue.value(tree[node].value, of: traits.storage, in: self)
        case .cell(let list, let row, let column):
            return .string(rows(list)?.text(row: row, column: column) ?? [])
        case .document, .list, .rows, .row: return .empty
        }
    }

    // MARK: Names

    package func path(ofField name: [UInt8]) -> [[UInt8]]? {
        questionnaire.item(named: name, seenFrom: asking).map { questionnaire.items[$0].path }
    }

    package func node(ofField name: [UInt8], seenFrom node: Node) -> Node? {
        guard let item = questionnaire.item(named: name, seenFrom: asking) else { return nil }
        if case .field(let node) = EntryNode(node) {
            return tree.near(item, seenFrom: node).map { EntryNode.field($0).handle }
        }
        return tree.sole[item] >= 0 ? EntryNode.field(tree.sole[item]).handle : nil
    }

    package func label(ofChoice value: [UInt8], inFieldAt path: [[UInt8]]) -> [UInt8]? {
        guard let item = questionnaire.items.first(where: { $0.path == path }) else { return nil }
        return asKept {
            label(of: String(decoding: value, as: UTF8.self), in: item, seenFrom: askingNode)
        }.map { Array($0.utf8) }
    }
}
