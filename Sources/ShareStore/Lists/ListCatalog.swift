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

    /// By their names' bytes: two names that only look alike are two lists.
    private(set) var plans: [[UInt8]: Plan] = [:]
    /// The accepted versions of each list that no accepted one replaces: the parents of the next.
    private(set) var heads: [[UInt8]: [OperationName]] = [:]

    init() {}

    init(_ controls: [ControlRecord]) {
        var parts: [OperationName: Part] = [:]
        var lists: [[UInt8]: [(version: RecordVersion, plan: Plan)]] = [:]
        for record in controls where record.definesLists {
            for (index, entry) in record.entries where record.verdict(at: index) == .accepted {
                let name = record.name(index)
                let local = LocalName(batch: record.batch, index: index)
                switch entry.operation {
                case .part(let part):
                    parts[name] = Part(name: name, local: local, width: part.width, rows: part.rows)
                case .list(let list):
                    let version = RecordVersion(
                        name: name, author: record.author, clock: entry.clock,
                        parents: list.parents, writes: [.deleted])
                    let plan = Plan(name: name, local: local, definition: list, parts: [])
                    lists[Array(list.name.utf8), default: []].append((version, plan))
                default: break
                }
            }
        }
        for (name, versions) in lists {
            heads[name] = RecordGraph(versions.map(\.version)).headNames(
                upTo: Limits.parentsPerOperation)
            let whole = versions.compactMap { version, plan -> (RecordVersion, Plan)? in
                guard let plan = plan.whole(of: parts) else { return nil }
                return (version, plan)
            }
            let winner = RecordGraph(whole.map(\.0)).winner(of: .deleted)
            plans[name] = whole.first { $0.1.name == winner }?.1
        }
    }

    /// Those that there are, by name: not the ones that were taken away.
    var lists: [Plan] {
        plans.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
            .filter { !$0.parts.isEmpty }
    }
}

extension ListCatalog.Plan {
    /// The same with its parts; nil where one is not held, counts for nothing or is of another
    /// list's shape, or where they are too long together.
    fileprivate func whole(of known: [OperationName: ListCatalog.Part]) -> ListCatalog.Plan? {
        var parts: [ListCatalog.Part] = []
        for name in definition.parts {
            guard let part = known[name], part.width == definition.columns.count else { return nil }
            parts.append(part)
        }
        guard parts.reduce(0, { $0 + $1.rows }) <= Limits.rowsPerList else { return nil }
        return ListCatalog.Plan(name: name, local: local, definition: definition, parts: parts)
    }
}
