import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

struct BulkTests {
    @Test func `a hundred thousand rows arrive, each once`() throws {
        let bench = try Bench()
        let form = try bench.addForm()
        let count = 100_000
        let cells = (0..<count).map { Cell.integer(Int64($0)) }
        try bench.founder.append(
            [.put(NewRows(definition: form, fields: [1], count: count, cells: cells, storage: []))],
            wall: bench.wall)
        let sealed = try bench.founder.seal(wall: bench.wall)
        #expect(sealed.count == 25)
        let other = try bench.device()
        try Bench.merge(Bench.batches(of: bench.founder), into: other)
        try Bench.merge(sealed, into: other)
        #expect(try other.counts().records == count)
        #expect(
            try other.row("SELECT count(*), sum(age), count(DISTINCT _id) FROM visit")
                == [100_000, 4_999_950_000, 100_000])
        #expect(try other.counts() == bench.founder.counts())
        #expect(try other.integer("SELECT count(*) FROM _version") == 0)
    }

    @Test func `an import that fails in the middle leaves nothing`() throws {
        let bench = try Bench()
        let form = try bench.addForm()
        let before = try Bench.dump(bench.founder)
        var left = 5
        #expect(throws: StoreError.wrongType(field: "age")) {
            _ = try bench.founder.append(wall: bench.wall) {
                left -= 1
                let value: FieldValue = left == 0 ? .text("x") : .integer(1)
                return [
                    .put(
                        NewRows(
                            definition: form, fields: [1],
                            rows: Array(repeating: [value], count: 3_000)))
                ]
            }
        }
        #expect(try Bench.dump(bench.founder) == before)
        #expect(try bench.founder.counts().pending == 0)
        try bench.founder.append([bench.row(form, "Sara", 30)], wall: bench.wall)
        #expect(try bench.founder.seal(wall: bench.wall).count == 1)
    }

    @Test func `large values fill batches by size`() throws {
        let bench = try Bench()
        let form = try bench.addForm()
        let long = String(repeating: "x", count: 200_000)
        for _ in 0..<10 { try bench.founder.append([bench.row(form, long, 1)], wall: bench.wall) }
        let sealed = try bench.founder.seal(wall: bench.wall)
        #expect(sealed.count == 3)
        #expect(throws: StoreError.tooLarge) {
            try bench.founder.append(
                [bench.row(form, String(repeating: "x", count: 1 << 20), 1)], wall: bench.wall)
        }
    }

    @Test func `sealing waits while batches of our own are missing`() throws {
        let bench = try Bench()
        let form = try bench.addForm()
        try bench.founder.append([bench.row(form, "Sara", 30)], wall: bench.wall)
        bench.founder.isSealingBlocked = true
        #expect(throws: StoreError.sealingBlocked(hasLost: false)) {
            try bench.founder.seal(wall: bench.wall)
        }
        bench.founder.isSealingBlocked = false
        #expect(try bench.founder.seal(wall: bench.wall).count == 1)
    }

    @Test func `a device restored from a backup goes on after its own batches`() throws {
        let bench = try Bench()
        let form = try bench.addForm()
        let identity = DeviceIdentity.generate()
        try bench.grant(.collector, to: identity.key)
        let control = try Bench.batches(of: bench.founder)
        let lost = try bench.store(identity)
        try Bench.merge(control, into: lost)
        var sealed: [Batch] = []
        for age in 0..<3 {
            try lost.append([bench.row(form, "Ann", Int64(age))], wall: bench.wall)
            sealed += try lost.seal(wall: bench.wall)
        }
        let restored = try bench.store(identity)
        try Bench.merge(control, into: restored)
        try restored.append([bench.row(form, "Eve", 9)], wall: bench.wall)
        try Bench.merge(sealed, into: restored)
        #expect(try restored.seal(wall: bench.wall).first?.number == 4)
        #expect(try restored.counts().records == 4)
        #expect(try restored.view().logs.values.allSatisfy { $0.heads.count == 1 })
    }

    @Test func `batches are found behind the places that a peer names`() throws {
        let bench = try Bench()
        let form = try bench.addForm()
        var sealed: [Batch] = []
        for age in 0..<9 {
            try bench.founder.append([bench.row(form, "Ann", Int64(age))], wall: bench.wall)
            sealed += try bench.founder.seal(wall: bench.wall)
        }
        let log = sealed[0].log
        func load(_ after: [LogHead], _ cursor: LogHead? = nil, bytes: Int = .max) throws
            -> SyncEngine.LoadedBatches
        {
            try bench.founder.load(log, after: after, cursor: cursor, bytes: bytes)
        }
        #expect(try load([]).batches.map(\.number) == Array(1...9))
        #expect(try load([sealed[5].head]).batches.map(\.number) == [7, 8, 9])
        let first = try load([], bytes: sealed[0].bytes.count + 1)
        #expect(first.batches.map(\.number) == [1, 2])
        #expect(try load([], first.next).batches.map(\.number) == Array(3...9))
        let strange = LogHead(number: 4, batch: BatchID(Hash.digest([1])))
        #expect(try load([strange]).isLost)
        let found = try bench.founder.find(log, [strange, sealed[3].head])
        #expect(found.missing == [strange])
        #expect(Set(found.positions.map(\.number)) == [9, 8, 7, 5, 1])
    }
}
