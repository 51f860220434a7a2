import ShareCore
import ShareCrypto

@testable import ShareStore

/// A room in which an editor has written many records, edited and deleted others', and defined
/// a form, and another device has worked on top of that.
final class ReapplyStory {
    let bench: Bench
    let form: OperationName
    let member: TestRoom
    let other: TestRoom
    /// The member's heads before most of it.
    let known: CoveredHeads
    var key: DeviceKey { member.identity.key }

    init(records: Int, definesForm: Bool = false) throws {
        let bench = try Bench()
        let form = try bench.addForm()
        let member = try bench.device(.editor)
        let other = try bench.device(.editor)
        (self.bench, self.form, self.member, self.other) = (bench, form, member, other)
        let everyone = [bench.founder, member, other]
        for writer in everyone {
            try writer.execute("PRAGMA synchronous=OFF")
            try Bench.merge(Bench.batches(of: bench.founder), into: writer)
        }
        let theirs = try bench.founder.append(
            (0..<20).map { bench.row(form, "theirs", $0) }, wall: bench.wall)
        try Bench.merge(try bench.founder.seal(wall: bench.wall), into: member)
        let early = try member.append(
            (0..<20).map { bench.row(form, "early", $0) }, wall: bench.wall)
        try Bench.merge(try member.seal(wall: bench.wall), into: bench.founder)
        known = bench.founder.heads(of: member.identity.key)
        // Another one edits first, the member on top of it.
        try Bench.merge(Bench.batches(of: bench.founder), into: other)
        bench.wall += 1
        try other.append(
            theirs.prefix(8).map { Self.edit($0, form, "other") }, wall: bench.wall)
        try Bench.merge(try other.seal(wall: bench.wall), into: member)
        bench.wall += 1
        try member.append(
            theirs.prefix(6).map { Self.edit($0, form, "member") }
                + [.delete(theirs[6]), .delete(theirs[12]), .delete(early[0])]
                + early[1..<5].map { Self.edit($0, form, "again") }, wall: bench.wall)
        var late: [RecordName] = []
        if definesForm {
            let second = try bench.addForm("extra", [Bench.fields[0]], by: member)
            try member.append(
                [.put(NewRows(definition: second, fields: [0], rows: [[.text("x")]]))],
                wall: bench.wall)
            let wider = try bench.addForm(
                "visit", Bench.fields + [FormField(name: "town", type: .text)], by: member,
                version: "2")
            late = try member.append(
                [
                    .put(
                        NewRows(
                            definition: wider, fields: [0, 4],
                            rows: [
                                [.text("late"), .text("Gulu")]
                            ]))
                ], wall: bench.wall)
        }
        let cells = (0..<records).map { Cell.integer(Int64($0)) }
        late += try member.append(
            [
                .put(
                    NewRows(
                        definition: form, fields: [1], count: records, cells: cells,
                        storage: []))
            ], wall: bench.wall)
        _ = try member.seal(wall: bench.wall)
        for writer in [other, bench.founder] {
            try Bench.merge(Bench.batches(of: member), into: writer)
        }
        // On top of what the member wrote.
        bench.wall += 1
        try other.append(
            late.prefix(9).map { Self.edit($0, form, "on top") }
                + [.delete(late[10]), .edit(late[11], definition: form, values: [])]
                + theirs.prefix(3).map { Self.edit($0, form, "last") }, wall: bench.wall)
        try Bench.merge(try other.seal(wall: bench.wall), into: bench.founder)
    }

    static func edit(_ name: RecordName, _ form: OperationName, _ text: String) -> LocalChange {
        .edit(name, definition: form, values: [.init(field: 0, value: .text(text))])
    }

    var after: [OperationName] {
        bench.founder.authority.latest(about: key)
    }

    /// The founder's removal, with what it knew early.
    func removal() throws -> Batch {
        try seal(.removal(Removal(subject: key, heads: known, supersedes: after, reason: "lost")))
    }

    func accept() throws -> Batch {
        try seal(.accept(Acceptance(subject: key, heads: bench.founder.heads(of: key))))
    }

    func seal(_ operation: ControlOperation) throws -> Batch {
        bench.wall += 1
        let batch = try bench.founder.sealControl([operation], wall: bench.wall)
        while try bench.founder.reapply() {}
        return batch
    }
}
