import ShareCore
import ShareCrypto

/// The digest item of any record, from its resolved versions (docs/protocol.md, "Digest").
enum RecordItem {
    /// A field's value and the version that it comes from.
    struct Value {
        let name: String
        /// A storage type, or 255 for `_deleted`.
        let type: UInt8
        let value: FieldValue
        let version: OperationName
    }

    /// - Parameter heads: sorted; there may be any number, so that they are read twice rather
    ///   than kept.
    static func digest(
        _ record: RecordName, values: [Value], heads: some RandomAccessCollection<OperationName>,
        review: (state: String?, version: OperationName)?, _ writer: ItemWriter
    ) -> StateDigest {
        let versions = MentionedVersions(
            heads: heads, others: values.map(\.version) + (review.map { [$0.version] } ?? []))
        let sorted = values.sorted {
            $0.name.utf8.elementsEqual($1.name.utf8)
                ? $0.type < $1.type : $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
        }
        writer.removeAll()
        writer.array(7)
        writer.write(text: record.form)
        writer.write(record.creator.value)
        writer.write(record.id)
        writer.array(versions.count)
        versions.each { version, _ in
            writer.array(2)
            writer.write(version.batch.digest.value)
            writer.write(version.index)
            writer.spill()
        }
        writer.array(sorted.count)
        for value in sorted {
            writer.array(4)
            writer.write(text: value.name)
            writer.write(Int(value.type))
            writer.write(value.value)
            writer.write(versions.place(of: value.version))
            writer.spill()
        }
        writer.array(heads.count)
        versions.each { _, position in
            if let position {
                writer.write(position)
                writer.spill()
            }
        }
        if let review {
            writer.array(2)
            if let state = review.state { writer.write(text: state) } else { writer.writeNull() }
            writer.write(versions.place(of: review.version))
        } else {
            writer.writeNull()
        }
        return writer.digest()
    }
}

/// The versions that an item mentions, each once and in order, without a copy of the heads.
private struct MentionedVersions<Heads: RandomAccessCollection<OperationName>> {
    private let heads: Heads
    /// Those that are no heads, sorted.
    private let others: [OperationName]

    init(heads: Heads, others: [OperationName]) {
        self.heads = heads
        self.others = Set(others).filter { name in
            let position = MentionedVersions.place(of: name, in: heads)
            return position == heads.count
                || heads[heads.index(heads.startIndex, offsetBy: position)] != name
        }.sorted()
    }

    var count: Int { heads.count + others.count }

    /// The place of a version that is mentioned among all of them.
    func place(of version: OperationName) -> Int {
        MentionedVersions.place(of: version, in: heads)
            + MentionedVersions<[OperationName]>.place(of: version, in: others)
    }

    /// Calls `body` with each version, and with its place if it is a head.
    func each(_ body: (OperationName, Int?) -> Void) {
        var position = 0
        var rest = others[...]
        for head in heads {
            while let other = rest.first, other < head {
                body(rest.removeFirst(), nil)
                position += 1
            }
            body(head, position)
            position += 1
        }
        for other in rest { body(other, nil) }
    }

    /// How many of some sorted names are less than one.
    static func place(of name: OperationName, in names: Heads) -> Int {
        var range = 0..<names.count
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            let found = names[names.index(names.startIndex, offsetBy: middle)]
            range =
                found < name ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}

/// The items that members, forms and lists add to the digest (docs/protocol.md, "Digest").
enum RoomItems {
    /// What some members add, less what others did.
    static func sum(members: [Member], without others: [Member] = []) -> StateDigest {
        let items = ItemWriter()
        var sum = StateDigest.zero
        func digest(_ member: Member) -> StateDigest {
            items.removeAll()
            items.array(3)
            items.write(text: "member")
            items.write(member.device.value)
            items.write(Int(member.role.rawValue))
            return items.digest()
        }
        let (now, before) = Member.unlike(members, others)
        for member in now { sum += digest(member) }
        for member in before { sum -= digest(member) }
        return sum
    }

    /// What the definitions in force of some forms add, less what others did.
    static func sum(
        forms: [String: FormCatalog.Plan], without others: [String: FormCatalog.Plan] = [:]
    ) -> StateDigest {
        let items = ItemWriter()
        func digest(_ formID: String, _ plan: FormCatalog.Plan?) -> StateDigest {
            guard let plan, plan.inForce.isAccepted else { return .zero }
            items.removeAll()
            items.array(3)
            items.write(text: "form")
            items.write(text: formID)
            items.array(2)
            items.write(plan.inForce.name.batch.digest.value)
            items.write(plan.inForce.name.index)
            return items.digest()
        }
        var sum = StateDigest.zero
        for (formID, plan) in forms { sum += digest(formID, plan) }
        for (formID, plan) in others { sum -= digest(formID, plan) }
        return sum
    }

    /// What the lists in force add, less what others did.
    static func sum(
        lists: ListCatalog, without others: ListCatalog = ListCatalog()
    ) -> StateDigest {
        let items = ItemWriter()
        func digest(_ plan: ListCatalog.Plan) -> StateDigest {
            items.removeAll()
            items.array(3)
            items.write(text: "list")
            items.write(text: plan.definition.name)
            items.array(2)
            items.write(plan.name.batch.digest.value)
            items.write(plan.name.index)
            return items.digest()
        }
        var sum = StateDigest.zero
        for plan in lists.plans.values { sum += digest(plan) }
        for plan in others.plans.values { sum -= digest(plan) }
        return sum
    }
}
