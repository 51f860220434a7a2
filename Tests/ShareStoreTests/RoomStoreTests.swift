import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

struct RoomStoreTests {
    @Test func `a batch that gives another number than its predecessor's next is a gap`() throws {
        let bench = try Bench()
        let editor = DeviceIdentity.generate()
        let other = DeviceIdentity.generate()
        for identity in [editor, other] { try bench.grant(.editor, to: identity.key) }
        let setting = RawControlBody(blocks: [RawControlBody.set("a")])
        let room = bench.founding.room
        let first = setting.sealed(by: editor, in: room)
        let far = setting.sealed(by: editor, in: room, number: 7, after: first.id)
        let foreign = setting.sealed(by: other, in: room, number: 2, after: first.id)
        let next = setting.sealed(by: editor, in: room, number: 2, after: first.id)
        // Also where the predecessor came with it.
        let outcomes = try Bench.merge([first, far, foreign, next], into: bench.founder)
        #expect(outcomes.map(\.fate) == [.stored, .gap, .gap, .stored])
        #expect(
            try Bench.merge([far, foreign], into: bench.founder).map(\.fate) == [.gap, .gap])
        #expect(bench.founder.heads(of: editor.key).control == [next.head])
        #expect(bench.founder.heads(of: other.key).control.isEmpty)
    }

    @Test func `entries are in the table at once and the same elsewhere after a push`() throws {
        let bench = try Bench()
        let form = try bench.addForm()
        let other = try bench.device(.collector)
        let names = try bench.founder.append(
            [bench.row(form, "Sara", 30), bench.row(form, "Jacob", 4)], wall: bench.wall)
        #expect(names.count == 2)
        #expect(
            try bench.founder.rows("SELECT name, age FROM visit ORDER BY rowid")
                == [["Sara", 30], ["Jacob", 4]])
        #expect(try bench.founder.counts().pending == 2)
        let unsealed = try bench.founder.counts().digest

        let sealed = try bench.founder.seal(wall: bench.wall)
        #expect(sealed.count == 1)
        #expect(try bench.founder.counts().pending == 0)
        #expect(try bench.founder.counts().digest != unsealed)
        #expect(try bench.founder.seal(wall: bench.wall).isEmpty)

        let outcomes = try Bench.merge(Bench.batches(of: bench.founder), into: other)
        #expect(outcomes.last?.accepted == 2)
        #expect(try Bench.dump(other) == Bench.dump(bench.founder))
        #expect(try other.view().vector == bench.founder.view().vector)
        #expect(try other.view().digest == bench.founder.view().digest)
    }

    @Test func `a file of another room, or without one, is not opened`() throws {
        let bench = try Bench()
        let path = bench.founder.path
        let stranger = DeviceIdentity.generate()
        let other = RoomStore.found(name: "x", isOpen: false, wall: 1, by: stranger)
        #expect(throws: StoreError.otherRoom) {
            try TestRoom(path: path, identity: stranger, founding: other)
        }
        #expect(throws: StoreError.missing) {
            try TestRoom(path: bench.scratch.path("new"), identity: stranger)
        }
    }

    @Test func `all is there again when the file is opened again`() throws {
        let bench = try Bench()
        let form = try bench.addForm()
        try bench.founder.append([bench.row(form, "Sara", 30)], wall: bench.wall)
        _ = try bench.founder.seal(wall: bench.wall)
        try bench.founder.append([bench.row(form, "Mary", 31)], wall: bench.wall)
        let before = try Bench.dump(bench.founder)
        let again = try TestRoom(path: bench.founder.path, identity: bench.founder.identity)
        #expect(try Bench.dump(again) == before)
        #expect(try again.counts() == bench.founder.counts())
        try again.append([bench.row(form, "Ann", 1)], wall: bench.wall)
        #expect(try again.seal(wall: bench.wall).first?.number == 2)
    }

    @Test func `edits, deletes and their conflicts come out alike`() async throws {
        let bench = try Bench()
        let form = try bench.addForm()
        let other = try bench.device(.editor)
        let names = try bench.founder.append(
            [bench.row(form, "Sara", 30), bench.row(form, "Jacob", 4)], wall: bench.wall)
        _ = try bench.founder.seal(wall: bench.wall)
        try Bench.merge(Bench.batches(of: bench.founder), into: other)

        func edit(_ name: RecordName, _ value: String) -> LocalChange {
            .edit(name, definition: form, values: [.init(field: 0, value: .text(value))])
        }
        try bench.founder.append([edit(names[0], "Sarah"), .delete(names[1])], wall: bench.wall)
        try other.append([edit(names[0], "Zara"), edit(names[1], "Jakob")], wall: bench.wall)
        #expect(try bench.founder.counts().records == 1)
        _ = try bench.founder.seal(wall: bench.wall)
        _ = try other.seal(wall: bench.wall)
        try Bench.merge(Bench.batches(of: bench.founder), into: other)
        try Bench.merge(Bench.batches(of: other), into: bench.founder)
        #expect(try Bench.dump(other) == Bench.dump(bench.founder))
        #expect(try other.counts().conflicts == 2)
        #expect(try other.counts().records == 1)
        #expect(try other.conflicts(after: nil, limit: 10).items.count == 2)
        #expect(try await CheckTests.check(other) == [])

        // Whoever has seen both resolves it.
        try other.append([edit(names[0], "Sara"), .restore(names[1])], wall: bench.wall)
        #expect(try other.counts().conflicts == 0)
        _ = try other.seal(wall: bench.wall)
        try Bench.merge(Bench.batches(of: other), into: bench.founder)
        #expect(try Bench.dump(other) == Bench.dump(bench.founder))
        #expect(try other.history(of: names[0], limit: 10).count == 4)
    }

    @Test func `a collector edits its own and nothing else`() throws {
        let bench = try Bench()
        let form = try bench.addForm()
        let collector = try bench.device(.collector)
        let names = try bench.founder.append([bench.row(form, "Sara", 30)], wall: bench.wall)
        _ = try bench.founder.seal(wall: bench.wall)
        try Bench.merge(Bench.batches(of: bench.founder), into: collector)
        #expect(throws: StoreError.self) {
            try collector.append([.delete(names[0])], wall: bench.wall)
        }
        let own = try collector.append([bench.row(form, "Ann", 1)], wall: bench.wall)
        try collector.append([.delete(own[0])], wall: bench.wall)
        #expect(try collector.counts().records == 1)
    }

    @Test func `batches of a stranger are held apart until its grant comes`() throws {
        let bench = try Bench()
        let form = try bench.addForm()
        let identity = DeviceIdentity.generate()
        let reader = try bench.store()
        try Bench.merge(Bench.batches(of: bench.founder), into: reader)
        let early = try reader.view().vector
        let grant = try bench.grant(.collector, to: identity.key)
        let writer = try bench.store(identity)
        try Bench.merge(Bench.batches(of: bench.founder), into: writer)
        try writer.append([bench.row(form, "Ann", 1)], wall: bench.wall)
        let sealed = try writer.seal(wall: bench.wall)
        #expect(try Bench.merge(sealed, into: reader).map(\.fate) == [.apart])
        #expect(try reader.view().vector == early)
        try Bench.merge([grant], into: reader)
        #expect(try reader.counts().records == 1)
        #expect(try Bench.dump(reader) == Bench.dump(writer))
    }

    @Test func `a new version of a form adds columns and keeps the old ones`() throws {
        let bench = try Bench()
        let first = try bench.addForm()
        let other = try bench.device(.collector)
        try Bench.merge(Bench.batches(of: bench.founder), into: other)
        try other.append([bench.row(first, "Sara", 30)], wall: bench.wall)
        let second = try bench.addForm(
            "visit",
            [
                FormField(name: "name", type: .text), FormField(name: "age", type: .decimal),
                FormField(name: "pressure", type: .integer),
            ], version: "2")
        try bench.founder.append(
            [
                .put(
                    NewRows(
                        definition: second, fields: [0, 1, 2],
                        rows: [[.text("Mary"), .decimal(1.5), .integer(120)]]))
            ], wall: bench.wall)
        _ = try bench.founder.seal(wall: bench.wall)
        let late = try other.seal(wall: bench.wall)
        try Bench.merge(late, into: bench.founder)
        try Bench.merge(Bench.batches(of: bench.founder), into: other)
        #expect(try Bench.dump(other) == Bench.dump(bench.founder))
        #expect(
            try other.rows(
                "SELECT name, age, pressure FROM visit ORDER BY 1")
                == [["Mary", .real(1.5), 120], ["Sara", 30, nil]])
        #expect(
            bench.founder.form("visit")?.columns.map(\.name)
                == ["name", "age", "pressure", "seen", "weight"])
    }

    @Test func `a rebuild changes nothing and verify finds nothing`() async throws {
        let bench = try Bench()
        let form = try bench.addForm()
        let names = try bench.founder.append(
            [bench.row(form, "Sara", 30), bench.row(form, "Jacob", 4)], wall: bench.wall)
        _ = try bench.founder.seal(wall: bench.wall)
        try bench.founder.append([.delete(names[1]), bench.row(form, "Ann", 1)], wall: bench.wall)
        let before = try Bench.dump(bench.founder)
        try bench.founder.rebuild()
        #expect(try Bench.dump(bench.founder) == before)
        #expect(try await CheckTests.check(bench.founder) == [])
    }
}
