import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

/// Entries that were never sent, as the device that made them was lowered or removed meanwhile.
struct WithheldTests {
    enum Fate: CaseIterable { case lowered, removed }

    @Test(arguments: Fate.allCases)
    func `their author can read them, marked`(_ fate: Fate) async throws {
        let bench = try Bench()
        let form = try bench.addForm()
        let device = try bench.device(.collector)
        try Bench.merge(Bench.batches(of: bench.founder), into: device)
        let key = device.identity.key
        let sent = try device.append([bench.row(form, "Ann", 1)], wall: bench.wall)
        try Bench.merge(device.seal(wall: bench.wall), into: bench.founder)
        let names = try device.append(
            [bench.row(form, "Eve", 2), bench.row(form, "Zoe", 3), bench.row(form, "Tom", 4)],
            wall: bench.wall)
        try device.append(
            [
                .edit(names[0], definition: form, values: [.init(field: 1, value: .integer(22))]),
                .delete(names[2]),
            ], wall: bench.wall)
        let heads = bench.founder.heads(of: key)
        let seen = bench.founder.authority.latest(about: key)
        let lowered = try bench.founder.sealControl(
            [
                fate == .removed
                    ? .removal(Removal(subject: key, heads: heads, supersedes: seen, reason: ""))
                    : .roleChange(
                        RoleChange(subject: key, role: .viewer, heads: heads, supersedes: seen))
            ], wall: bench.wall)
        try Bench.merge([lowered], into: device)
        #expect(try device.counts().withheld == 5)

        let info = try #require(device.form("visit"))
        let reader = try RoomReader(path: device.path)
        let rows = try await reader.records(info)
        #expect(rows.map(\.name.id) == sent.map(\.id) + [names[0], names[1]].map(\.id))
        #expect(rows.map(\.state) == [nil, "withheld", "withheld"])
        #expect(rows[1].values.prefix(2) == [.text("Eve"), .integer(22)])
        let found = try await reader.find(names[0].id.text, in: [info])
        #expect(found == names[0])
        #expect(try await reader.record(found, in: info)?.state == "withheld")
        let store = try RoomStore(path: device.path, identity: device.identity)
        #expect(try await store.detail(of: found).values.contains(.integer(22)))
        let wanted = RecordQuery(where: [.init(.state, equals: .text("withheld"))], limit: 1)
        #expect(try await reader.records(info, wanted).count == 1)
        guard fate == .lowered else { return }

        let raised = try bench.founder.sealControl(
            [
                .roleChange(
                    RoleChange(
                        subject: key, role: .collector,
                        heads: CoveredHeads(control: [], records: heads.records),
                        supersedes: bench.founder.authority.latest(about: key)))
            ], wall: bench.wall)
        try Bench.merge([raised], into: device)
        #expect(try await reader.records(info).map(\.state) == [nil, nil, nil])
    }

    @Test(arguments: 1...6)
    func `they come on the last pages, each once`(_ size: Int) async throws {
        let bench = try Bench()
        let form = try bench.addForm()
        let device = try bench.device(.collector)
        try Bench.merge(Bench.batches(of: bench.founder), into: device)
        let key = device.identity.key
        try device.append(
            [bench.row(form, "Ann", 1), bench.row(form, "Bea", 2), bench.row(form, "Cem", 3)],
            wall: bench.wall)
        try Bench.merge(device.seal(wall: bench.wall), into: bench.founder)
        try device.append(
            [bench.row(form, "Eve", 4), bench.row(form, "Zoe", 5)], wall: bench.wall)
        let lowered = try bench.founder.sealControl(
            [
                .roleChange(
                    RoleChange(
                        subject: key, role: .viewer, heads: bench.founder.heads(of: key),
                        supersedes: bench.founder.authority.latest(about: key)))
            ], wall: bench.wall)
        try Bench.merge([lowered], into: device)

        let info = try #require(device.form("visit"))
        let reader = try RoomReader(path: device.path)
        let all = try await reader.records(info).map(\.name)
        #expect(all.count == 5)
        var seen: [RecordName] = []
        while seen.count <= all.count {
            let query = RecordQuery(limit: size, after: seen.last)
            let page = try await reader.records(info, query).map(\.name)
            guard !page.isEmpty else { break }
            seen += page
        }
        #expect(seen == all)
    }

    @Test func `entries that are not sent use a form as well`() async throws {
        let bench = try Bench()
        let form = try bench.addForm()
        let device = try bench.device(.collector)
        try Bench.merge(Bench.batches(of: bench.founder), into: device)
        try device.append([bench.row(form, "Ann", 1)], wall: bench.wall)
        try Bench.merge(device.seal(wall: bench.wall), into: bench.founder)
        try device.append(
            [bench.row(form, "Eve", 2), bench.row(form, "Zoe", 3)], wall: bench.wall)
        let founder = bench.founder.identity.key
        let own = device.identity.key
        #expect(try device.file.room.uses(of: form, without: founder) == 3)
        #expect(try device.file.room.uses(of: form, without: own) == 0)
        #expect(try bench.founder.file.room.uses(of: form, without: founder) == 1)
    }
}
