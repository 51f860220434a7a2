import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

@Suite struct RecordGraphTests {
    let age = RecordField.field(FormField(name: "age", type: .integer))
    let name = RecordField.field(FormField(name: "name", type: .text))

    func version(
        _ label: String, by author: UInt8 = 1, at clock: UInt64, on parents: [String] = [],
        writes: [RecordField]
    ) -> RecordVersion {
        RecordVersion(
            name: named(label), author: TestBatches.identity(author).key,
            clock: Timestamp(milliseconds: clock, counter: 0), parents: parents.map(named),
            writes: writes)
    }

    func named(_ label: String) -> OperationName {
        OperationName(batch: BatchID(Hash.digest(Array(label.utf8))), index: 0)
    }

    @Test func `an edit that has seen another wins whatever the clocks say`() {
        let graph = NamedGraph([
            version("put", at: 9_000, writes: [age, name]),
            version("edit", at: 10, on: ["put"], writes: [age]),
        ])
        #expect(graph.winners == [age: named("edit"), name: named("put")])
        #expect(graph.losers.isEmpty)
        #expect(graph.heads == [named("edit")])
    }

    @Test func `parallel edits of other fields are no conflict`() {
        let graph = NamedGraph([
            version("put", at: 1, writes: [age, name]),
            version("a", at: 2, on: ["put"], writes: [age]),
            version("b", by: 2, at: 3, on: ["put"], writes: [name]),
        ])
        #expect(graph.winners == [age: named("a"), name: named("b")])
        #expect(graph.losers.isEmpty)
        #expect(graph.heads == [named("a"), named("b")].sorted())
    }

    @Test func `of parallel edits of one field the greater clock wins and the loser is kept`() {
        let graph = NamedGraph([
            version("put", at: 1, writes: [age]),
            version("a", at: 20, on: ["put"], writes: [age]),
            version("b", by: 2, at: 3, on: ["put"], writes: [age]),
        ])
        #expect(graph.winners == [age: named("a")])
        #expect(graph.losers == [age: [named("b")]])
    }

    @Test func `an edit of both branches resolves the conflict`() {
        let graph = NamedGraph([
            version("put", at: 1, writes: [age]),
            version("a", at: 20, on: ["put"], writes: [age]),
            version("b", by: 2, at: 3, on: ["put"], writes: [age]),
            version("c", by: 3, at: 2, on: ["a", "b"], writes: [age]),
        ])
        #expect(graph.winners == [age: named("c")])
        #expect(graph.losers.isEmpty)
    }

    @Test func `a parent that is not accepted counts for nothing`() {
        let graph = NamedGraph([
            version("put", at: 1, writes: [age]),
            version("b", by: 2, at: 3, on: ["refused"], writes: [age]),
        ])
        #expect(graph.winners == [age: named("b")])
        #expect(graph.losers == [age: [named("put")]])
    }

    @Test func `an edit beside a delete does not bring the record back`() {
        let graph = NamedGraph([
            version("put", at: 1, writes: [age]),
            version("delete", at: 2, on: ["put"], writes: [.deleted]),
            version("edit", by: 2, at: 3, on: ["put"], writes: [age]),
        ])
        #expect(graph.winners[.deleted] == named("delete"))
        #expect(graph.winners[age] == named("edit"))
        #expect(graph.heads.count == 2)
    }

    @Test(arguments: [UInt64](1...60))
    func `any order of any versions gives what the rule says word for word`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var versions: [RecordVersion] = []
        for place in 0..<Int.random(in: 1...14, using: &random) {
            let parents = versions.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
            versions.append(
                version(
                    "\(place)", by: UInt8.random(in: 1...3, using: &random),
                    at: UInt64.random(in: 1...3, using: &random), on: [],
                    writes: [age, name, .deleted].filter { _ in Bool.random(using: &random) }
                ).based(on: parents.map(\.name) + (place % 5 == 0 ? [named("unknown")] : [])))
        }
        let expected = Naive(versions)
        for _ in 0..<20 {
            var given = versions.shuffled(using: &random)
            given += given.filter { _ in Bool.random(using: &random) }
            let graph = NamedGraph(given)
            #expect(graph.winners == expected.winners, "seed \(seed)")
            #expect(graph.losers == expected.losers, "seed \(seed)")
            #expect(graph.heads == expected.heads, "seed \(seed)")
            for version in versions.map(\.name) {
                #expect(graph.seen(by: [version]) == expected.ancestors[version], "seed \(seed)")
                let parallel = versions.map(\.name).filter {
                    $0 != version && expected.ancestors[$0]?.contains(version) == false
                        && expected.ancestors[version]?.contains($0) == false
                }
                #expect(Set(graph.parallel(to: [version])) == Set(parallel), "seed \(seed)")
            }
            let branches = graph.branches.mapValues(Set.init)
            for head in expected.heads {
                let own = expected.seen(by: [head])
                    .subtracting(expected.seen(by: expected.heads.filter { $0 != head }))
                #expect(branches[head] == own, "seed \(seed)")
            }
            #expect(branches.count == expected.heads.count, "seed \(seed)")
            let some = Set(versions.map(\.name).filter { _ in Bool.random(using: &random) })
            let latest = some.filter { name in
                !some.contains { expected.ancestors[$0]?.contains(name) == true }
            }
            #expect(Set(graph.latest(of: some)) == latest, "seed \(seed)")
        }
    }

    @Test func `a hundred thousand parallel edits of one record are decided`() {
        let count = 100_000
        let put = version("put", at: 1, writes: [age, name])
        let edits = (0..<count).map { place in
            version("\(place)", by: 2, at: 2, on: ["put"], writes: [place % 2 == 0 ? age : name])
        }
        let graph = NamedGraph([put] + edits)
        #expect(graph.heads.count == count)
        #expect(graph.losers.values.map(\.count) == [count / 2 - 1, count / 2 - 1])
        #expect(graph.parallel(to: [edits[0].name]).count == count - 1)
        #expect(graph.branches.count == count)
    }

    @Test func `more fields than bits in a word are each decided alone`() {
        let fields = (0..<150).map {
            RecordField.field(FormField(name: "field\($0)", type: .integer))
        }
        var versions = [version("put", at: 1, writes: fields)]
        for (place, field) in fields.enumerated() where place % 3 == 0 {
            versions.append(version("\(place)", by: 2, at: 2, on: ["put"], writes: [field]))
        }
        let graph = NamedGraph(versions)
        for (place, field) in fields.enumerated() {
            #expect(graph.winners[field] == named(place % 3 == 0 ? "\(place)" : "put"))
        }
        #expect(graph.losers.isEmpty)
    }

    /// The rule as it is written, without any care for speed.
    struct Naive {
        var winners: [RecordField: OperationName] = [:]
        var losers: [RecordField: [OperationName]] = [:]
        var heads: [OperationName] = []
        var ancestors: [OperationName: Set<OperationName>] = [:]

        /// These and what they had seen.
        func seen(by names: [OperationName]) -> Set<OperationName> {
            names.reduce(into: Set(names)) { $0.formUnion(ancestors[$1] ?? []) }
        }

        init(_ versions: [RecordVersion]) {
            func isAncestor(_ a: RecordVersion, of b: RecordVersion) -> Bool {
                b.parents.contains { parent in
                    versions.contains {
                        $0.name == parent && ($0.name == a.name || isAncestor(a, of: $0))
                    }
                }
            }
            for version in versions {
                ancestors[version.name] = Set(
                    versions.filter { isAncestor($0, of: version) }.map(\.name))
            }
            heads = versions.filter { version in
                !versions.contains { isAncestor(version, of: $0) }
            }.map(\.name).sorted()
            for field in Set(versions.flatMap(\.writes)) {
                let writers = versions.filter { $0.writes.contains(field) }
                let candidates = writers.filter { writer in
                    !writers.contains { isAncestor(writer, of: $0) }
                }.sorted { a, b in
                    if a.clock != b.clock { return a.clock > b.clock }
                    if a.author != b.author { return a.author > b.author }
                    return a.name > b.name
                }
                winners[field] = candidates.first?.name
                if candidates.count > 1 { losers[field] = candidates.dropFirst().map(\.name) }
            }
        }
    }
}

extension RecordVersion {
    fileprivate func based(on parents: [OperationName]) -> RecordVersion {
        RecordVersion(name: name, author: author, clock: clock, parents: parents, writes: writes)
    }
}

/// A graph in names instead of places.
private struct NamedGraph {
    let graph: RecordGraph

    init(_ versions: some Sequence<RecordVersion>) { graph = RecordGraph(versions) }

    var winners: [RecordField: OperationName] {
        Dictionary(
            uniqueKeysWithValues: graph.versions.fields.compactMap { field in
                graph.winner(of: field).map { (field, $0) }
            })
    }

    /// Greatest first; only fields that have such.
    var losers: [RecordField: [OperationName]] {
        var losers: [RecordField: [OperationName]] = [:]
        for (number, field) in graph.versions.fields.enumerated() {
            let places = (0..<graph.versions.count).filter { graph.hasLost($0, number) }
            if !places.isEmpty {
                losers[field] = places.sorted { graph.versions.beats($0, $1) }.map(name)
            }
        }
        let hasLost = (0..<graph.versions.count).contains { graph.hasLost($0) }
        precondition(hasLost != losers.isEmpty && graph.hasLosers != losers.isEmpty)
        return losers
    }

    var heads: [OperationName] { graph.heads.map(name) }

    var branches: [OperationName: [OperationName]] {
        var branches: [OperationName: [OperationName]] = [:]
        graph.eachBranch { head, own in
            branches[name(head)] = own.map(name)
            return true
        }
        return branches
    }

    func seen(by names: [OperationName]) -> Set<OperationName> {
        named(graph.seen(by: places(names)))
    }

    func parallel(to names: [OperationName]) -> [OperationName] {
        Array(named(graph.parallel(to: places(names))))
    }

    func latest(of names: Set<OperationName>) -> [OperationName] {
        graph.latest(of: places(Array(names))).map(name)
    }

    private func name(_ place: Int) -> OperationName { graph.versions.name(of: place) }

    private func places(_ names: [OperationName]) -> [Int] {
        (0..<graph.versions.count).filter { names.contains(name($0)) }
    }

    private func named(_ marks: [Bool]) -> Set<OperationName> {
        Set(marks.indices.filter { marks[$0] }.map(name))
    }
}
