/// Finds the operations in force: walk, what is upwards, and the rest of the room
/// (docs/protocol/authority.md §4 and §5).
struct AuthorityEngine {
    /// All operations in force.
    private(set) var force: AuthorityForce
    /// The first walk, before anything upwards was decided.
    private(set) var first: AuthorityWalk
    private(set) var ranking: [Int]
    /// Operations upwards that do not hold.
    private(set) var outranked: Set<Int> = []
    /// Batches of logs with too many heads that no owner has named.
    let ignored: Set<BatchID>
    let staying: Set<Int>
    /// Devices whose control logs decided that somebody has to stay: everybody needs them.
    private(set) var decisive: Set<Int> = []

    /// Computes all for a room.
    static func run(_ room: AuthorityRoom) -> AuthorityEngine {
        let engine = withOwner(room, ignored: [])
        let ignored = engine.unnamed(in: room)
        return ignored.isEmpty ? engine : withOwner(room, ignored: ignored)
    }

    /// Where no owner is left, the best-ranked one that lowered itself stays.
    private static func withOwner(
        _ room: AuthorityRoom, ignored: Set<BatchID>
    ) -> AuthorityEngine {
        let engine = AuthorityEngine(room, ignored: ignored, staying: [])
        guard room.founding != nil, !engine.hasOwner(in: room) else { return engine }
        for device in engine.ranking {
            let lowersItself = engine.force.about[device].contains {
                room.operations[$0].isAboutItsAuthor && room.operations[$0].lowers
            }
            guard lowersItself else { continue }
            var other = AuthorityEngine(room, ignored: ignored, staying: [device])
            if other.hasOwner(in: room) {
                other.decisive = Set(engine.ranking)
                return other
            }
        }
        return engine
    }

    private init(_ room: AuthorityRoom, ignored: Set<BatchID>, staying: Set<Int>) {
        self.ignored = ignored
        self.staying = staying
        let start = AuthorityWalk(room: room, ignored: ignored, staying: staying)
        first = start
        first.walk(holding: [])
        var walk = first
        // Operations of one batch are decided together, so that a batch costs one walk.
        var holding: [(operations: [Int], standing: [Int])] = []
        var decided: Set<Int> = []
        // Of those not decided, the ones whose authors are no owners as things stand.
        var passed: Set<Int> = []
        func walked(_ holding: [(operations: [Int], standing: [Int])]) -> AuthorityWalk {
            start.walked(
                holding: holding.flatMap(\.operations), standing: holding.flatMap(\.standing))
        }
        while true {
            let fallen = holding.firstIndex { group in
                group.operations.first.map { !walk.isByOwner($0) } ?? true
            }
            if let fallen {
                outranked.formUnion(holding[fallen].operations)
                holding.remove(at: fallen)
                walk = walked(holding)
                passed = []
                continue
            }
            let waiting = walk.upward.filter { !decided.contains($0) && !passed.contains($0) }
            guard let next = waiting.min(by: { walk.isOrdered($0, $1) }) else { break }
            let batch = room.operations[next].name.batch
            let group = waiting.filter { room.operations[$0].name.batch == batch }
            guard walk.isByOwner(next) else {
                passed.formUnion(group)
                continue
            }
            decided.formUnion(group)
            let subjects = Set(group.map { room.operations[$0].subject })
            let trial = holding + [(group, walk.removals(by: subjects))]
            let other = walked(trial)
            if other.isByOwner(next) {
                holding = trial
                walk = other
                passed = []
            } else {
                outranked.formUnion(group)
            }
        }
        outranked.formUnion(walk.upward.filter { !walk.force.contains($0) })
        outranked = outranked.filter { !walk.force.contains($0) }
        ranking = walk.ranking
        walk.addLeavesOfOthers()
        walk.addEditors()
        force = walk.force
    }

    private func hasOwner(in room: AuthorityRoom) -> Bool {
        room.devices.indices.contains {
            force.ownersResult($0, at: .end, in: room).role == .owner
        }
    }

    private func unnamed(in room: AuthorityRoom) -> Set<BatchID> {
        var unnamed: Set<BatchID> = []
        for (device, graph) in room.graphs.enumerated() where graph.hasTooManyHeads {
            let named = force.about[device].flatMap { room.operations[$0].heads.control }
            for held in room.logs[device] {
                let head = held.batch.head
                if !named.contains(where: { graph.coverage(of: head, by: $0) == .covered }) {
                    unnamed.insert(head.batch)
                }
            }
        }
        return unnamed
    }
}

extension AuthorityWalk {
    /// Rank order of the authors, then the order in their logs.
    fileprivate func isOrdered(_ a: Int, _ b: Int) -> Bool {
        func key(_ index: Int) -> (Int, LogHead, Int) {
            let operation = room.operations[index]
            return (ranks[operation.author] ?? .max, operation.batch, operation.name.index)
        }
        return key(a) < key(b)
    }

    /// A walk with upward operations in force, and the removals that stand for them. A removal
    /// stands against an owner only: where nothing makes its subject one, it is void too.
    fileprivate func walked(holding: [Int], standing: [Int]) -> AuthorityWalk {
        var walk = self
        walk.walk(holding: holding + standing)
        let ranked = standing.filter { walk.ranks[room.operations[$0].subject] != nil }
        guard ranked.count < standing.count else { return walk }
        walk = self
        walk.walk(holding: holding + ranked)
        return walk
    }

    /// The removals of other owners that devices have in force: they stand when those are cut.
    fileprivate func removals(by devices: Set<Int>) -> [Int] {
        room.operations.indices.filter { index in
            let operation = room.operations[index]
            return operation.kind == .removal && devices.contains(operation.author)
                && !operation.isAboutItsAuthor && ranks[operation.subject] != nil
                && force.contains(index)
        }
    }

    /// Leaves of devices that have their role from owners and never were owners themselves.
    fileprivate mutating func addLeavesOfOthers() {
        for device in room.devices.indices where ranks[device] == nil {
            for held in log(of: device) {
                for index in held.operations where room.operations[index].isLeave {
                    let place = place(held.batch.head, of: device)
                    if force.ownersResult(device, at: place, in: room).role != nil {
                        insert(index, in: .owners)
                    }
                }
            }
        }
    }

    /// Editors' grants, then the leaves of those who have their role from them.
    fileprivate mutating func addEditors() {
        for device in room.devices.indices {
            for held in log(of: device) where !held.operations.isEmpty {
                let place = place(held.batch.head, of: device)
                guard force.ownersResult(device, at: place, in: room).role == .editor else {
                    continue
                }
                for index in held.operations {
                    let operation = room.operations[index]
                    if operation.kind == .grant, operation.role.map({ $0 <= .collector }) == true {
                        insert(index, in: .editors)
                    }
                }
            }
        }
        for device in room.devices.indices where !staying.contains(device) {
            for held in log(of: device) {
                for index in held.operations
                where room.operations[index].isLeave && !force.contains(index) {
                    let place = place(held.batch.head, of: device)
                    if force.result(device, at: place, in: room).role != nil {
                        insert(index, in: .editors)
                    }
                }
            }
        }
    }
}
