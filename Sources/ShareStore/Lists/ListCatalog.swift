import ShareCore
import ShareCrypto

/// The lists that are in force (docs/protocol.md, "Lists").
struct ListCatalog {
    /// A part that is held and accepted.
    struct Part: Hashable {
        let name: OperationName
        let local: LocalName
        let width: Int
        let rows: Int
    }

    /// The version of a list that is in force.
    struct Plan: Hashable {
        let name: OperationName
        let local: LocalName
        let definition: ListDefinition
        let parts: [Part]

        var rows: Int { parts.reduce(0) { $0 + $1.rows } }
    }

    /// A version with who made it when; its parts are known where it is whole.
    struct Made {
        let plan: Plan
        let author: DeviceKey
        let clock: Timestamp
        let wall: WallTime
        let isAccepted: Bool

        /// As a version of the one field that all versions of a list write.
        var version: RecordVersion {
            RecordVersion(
                name: plan.name, author: author, clock: clock,
                parents: plan.definition.parents, writes: [.deleted])
        }
    }

    /// By their names' bytes: two names that only look alike are two lists.
    private(set) var plans: [[UInt8]: Plan] = [:]
    /// The accepted versions of each list that no accepted one replaces: the parents of the next.
    private(set) var heads: [[UInt8]: [OperationName]] = [:]
    /// The version in force of each list that has others which nobody has seen with it, and these.
    private(set) var parallel: [[UInt8]: (inForce: Made, others: [Made])] = [:]

    init() {}

    init(_ controls: [ControlRecord]) {
        var parts: [OperationName: Part] = [:]
        var lists: [[UInt8]: [Made]] = [:]
        for record in controls where record.isByEditor && record.definesLists {
            for (index, entry) in record.entries {
                let isAccepted = record.verdict(at: index) == .accepted
                let name = record.name(index)
                let local = LocalName(batch: record.batch, index: index)
                switch entry.operation {
                case .part(let part) where isAccepted:
                    parts[name] = Part(name: name, local: local, width: part.width, rows: part.rows)
                case .list(let list):
                    lists[Array(list.name.utf8), default: []].append(
                        Made(
                            plan: Plan(name: name, local: local, definition: list, parts: []),
                            author: record.author, clock: entry.clock, wall: entry.wall,
                            isAccepted: isAccepted))
                default: break
                }
            }
        }
        for (name, made) in lists {
            let accepted = made.filter(\.isAccepted)
            guard !accepted.isEmpty else { continue }
            heads[name] = RecordGraph(accepted.map(\.version)).headNames(
                upTo: Limits.parentsPerOperation)
            let whole = accepted.compactMap { $0.whole(of: parts) }
            let graph = RecordGraph(whole.map(\.version))
            let winner = graph.winner(of: .deleted)
            guard let inForce = whole.first(where: { $0.plan.name == winner }) else { continue }
            plans[name] = inForce.plan
            guard graph.heads.count > 1 else { continue }
            let others = Self.parallel(to: inForce, among: whole, of: made)
            if !others.isEmpty { parallel[name] = (inForce, others) }
        }
    }

    /// Those that there are, by name: not the ones that were taken away.
    var lists: [Plan] {
        plans.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
            .filter { !$0.parts.isEmpty }
    }
}

extension ListCatalog.Made {
    /// The same with its parts; nil where one is not held, counts for nothing or is of another
    /// list's shape, or where they are too long together.
    fileprivate func whole(of known: [OperationName: ListCatalog.Part]) -> ListCatalog.Made? {
        let definition = plan.definition
        var parts: [ListCatalog.Part] = []
        for name in definition.parts {
            guard let part = known[name], part.width == definition.columns.count else { return nil }
            parts.append(part)
        }
        guard parts.reduce(0, { $0 + $1.rows }) <= Limits.rowsPerList else { return nil }
        return ListCatalog.Made(
            plan: ListCatalog.Plan(
                name: plan.name, local: plan.local, definition: definition, parts: parts),
            author: author, clock: clock, wall: wall, isAccepted: isAccepted)
    }
}
