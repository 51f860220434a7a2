package import ShareCore
import ShareCrypto

/// The lists of a room, for those who make versions of them.
extension RoomStore {
    /// The operations of a new version of a list: its parts, without those that the version in
    /// force has already, and its definition. None where nothing is new; the version in force itself
    /// is, where others were made at once with it: it takes their place.
    ///
    /// - Parameter content: nil to take the list away.
    package func version(
        ofList name: String, _ content: ListContent?
    ) throws -> [ControlOperation] {
        try file.room.version(ofList: name, content)
    }

    /// The lists of which several devices have made versions at once, and nobody since; by name.
    package func parallelLists() throws -> [ParallelListVersions] {
        try file.room.parallelLists(knowing: &partDigests)
    }

    /// The rows of a version that was made at once with others, as they were signed.
    package func parts(of made: ParallelListVersions.Made) throws -> [ListPart] {
        try file.room.parts(made.plan.parts).map(\.rows)
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
        // What is in force is new to whoever made the others.
        let isSettled = try parallel(to: key).isEmpty
        guard let content else {
            guard let plan, !plan.parts.isEmpty || !isSettled else { return [] }
            return [
                .list(
                    ListDefinition(
                        name: name, parents: parents, columns: plan.definition.columns, parts: []))
            ]
        }
        var known: [Digest: OperationName] = [:]
        for (part, rows) in try parts(plan?.parts ?? []) { known[rows.digest] = part.name }
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
        if isSettled, let plan, names == plan.definition.parts,
            plan.definition.hasColumns(content.columns)
        {
            return []
        }
        let list = ListDefinition(
            name: name, parents: parents, columns: content.columns, parts: names)
        return operations + [.list(list)]
    }

    /// Parts with their rows, as these were signed.
    func parts(
        _ parts: [ListCatalog.Part]
    ) throws -> [(part: ListCatalog.Part, rows: ListPart)] {
        var opened: (batch: Int64, body: Body)?
        return try parts.compactMap { part in
            if opened?.batch != part.local.batch {
                let bytes = try log.bytes(of: part.local.batch)
                let batch = try log.readBatch(bytes, at: part.local.batch)
                opened = (part.local.batch, try batch.openBody())
            }
            return (opened?.body.part(at: part.local.index)).map { (part, $0) }
        }
    }
}

/// What several devices have made of one list at once.
extension Room {
    /// As `RoomStore` has it.
    ///
    /// - Parameter known: digests of parts that were read before; takes those that are of use the
    ///   next time.
    func parallelLists(
        knowing known: inout [OperationName: Digest]
    ) throws -> [ParallelListVersions] {
        var digests = PartDigests(known: known)
        var found: [ParallelListVersions] = []
        for key in lists.catalog.parallel.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let others = try parallel(to: key, &digests)
            guard let inForce = lists.catalog.parallel[key]?.inForce, !others.isEmpty else {
                continue
            }
            found.append(
                ParallelListVersions(
                    list: inForce.plan.definition.name, inForce: .init(inForce),
                    others: others.map { .init($0) }))
        }
        known = digests.used
        return found
    }

    private func parallel(to key: [UInt8]) throws -> [ListCatalog.Made] {
        var digests = PartDigests(known: [:])
        return try parallel(to: key, &digests)
    }

    /// The versions with other content than the one in force that were made at once with it: the
    /// same file, added on several devices, leaves nothing out.
    private func parallel(
        to key: [UInt8], _ digests: inout PartDigests
    ) throws -> [ListCatalog.Made] {
        guard let (inForce, others) = lists.catalog.parallel[key] else { return [] }
        return try others.filter { try !isSame($0.plan, inForce.plan, &digests) }
    }

    private func isSame(
        _ a: ListCatalog.Plan, _ b: ListCatalog.Plan, _ digests: inout PartDigests
    ) throws -> Bool {
        guard !a.parts.isEmpty, !b.parts.isEmpty else { return a.parts.isEmpty == b.parts.isEmpty }
        guard a.rows == b.rows, a.definition.hasColumns(b.definition.columns) else { return false }
        return try a.parts == b.parts
            || self.digests(of: a, &digests) == self.digests(of: b, &digests)
    }

    private func digests(
        of plan: ListCatalog.Plan, _ digests: inout PartDigests
    ) throws -> [Digest?] {
        let unknown = plan.parts.filter { digests.known[$0.name] == nil }
        for (part, rows) in try parts(unknown) { digests.known[part.name] = rows.digest }
        return plan.parts.map { part in
            digests.used[part.name] = digests.known[part.name]
            return digests.known[part.name]
        }
    }

    /// Digests of parts by their names, and which of them were asked for.
    private struct PartDigests {
        var known: [OperationName: Digest]
        var used: [OperationName: Digest] = [:]
    }
}

extension ListDefinition {
    /// Byte for byte, as texts that only look alike are different columns.
    fileprivate func hasColumns(_ others: [String]) -> Bool {
        columns.elementsEqual(others) { $0.utf8.elementsEqual($1.utf8) }
    }
}

extension ListPart {
    /// Tells parts with other rows apart.
    fileprivate var digest: Digest { Hash.digest([UInt8(width)] + cells) }
}
