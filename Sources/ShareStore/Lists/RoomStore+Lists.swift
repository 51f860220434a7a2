package import ShareCore
import ShareCrypto

/// The lists of a room, for those who make versions of them.
extension RoomStore {
    /// The operations of a new version of a list: its parts, without those that the version in
    /// force has already, and its definition. None where nothing is new.
    ///
    /// - Parameter content: nil to take the list away.
    package func version(
        ofList name: String, _ content: ListContent?
    ) throws -> [ControlOperation] {
        try file.room.version(ofList: name, content)
    }

    /// How many lists the room has.
    package func listCount() -> Int { file.room.lists.catalog.lists.count }

    /// Rows of the lists in force but this one.
    package func listRows(besides name: String) -> Int {
        file.room.lists.catalog.lists
            .filter { !$0.definition.name.utf8.elementsEqual(name.utf8) }
            .reduce(0) { $0 + $1.rows }
    }
}

extension Room {
    /// As `RoomStore` has it.
    func version(
        ofList name: String, _ content: ListContent?
    ) throws -> [ControlOperation] {
        let key = Array(name.utf8)
        let catalog = lists.catalog
        let parents = catalog.heads[key] ?? []
        let plan = catalog.plans[key]
        guard let content else {
            guard let plan, !plan.parts.isEmpty else { return [] }
            return [
                .list(
                    ListDefinition(
                        name: name, parents: parents, columns: plan.definition.columns, parts: []))
            ]
        }
        var known: [Digest: OperationName] = [:]
        for part in plan?.parts ?? [] {
            guard let rows = try self.part(part) else { continue }
            known[rows.digest] = part.name
        }
        var operations: [ControlOperation] = []
        var names: [OperationName] = []
        for part in content.parts() {
            let digest = part.digest
            // A part stands in a list once, so rows that come again are made again.
            if let name = known.removeValue(forKey: digest) {
                names.append(name)
            } else {
                names.append(OperationName(batch: .thisBatch, index: operations.count))
                operations.append(.part(part))
            }
        }
        if let plan, names == plan.definition.parts,
            plan.definition.columns.elementsEqual(
                content.columns, by: { $0.utf8.elementsEqual($1.utf8) })
        {
            return []
        }
        let list = ListDefinition(
            name: name, parents: parents, columns: content.columns, parts: names)
        return operations + [.list(list)]
    }

    /// The rows of a part as they were signed.
    fileprivate func part(_ part: ListCatalog.Part) throws -> ListPart? {
        let bytes = try log.bytes(of: part.local.batch)
        return try log.readBatch(bytes, at: part.local.batch).openBody().part(at: part.local.index)
    }
}

extension ListPart {
    /// Tells parts with other rows apart.
    fileprivate var digest: Digest { Hash.digest([UInt8(width)] + cells) }
}
