import ShareCrypto

@testable import ShareCore

/// What happens in the room once it has members and records.
extension VectorRoom {
    mutating func makeVersions() {
        let form = name("form-1", 0)
        let visitor = Writer.collector.key
        seal(
            "collector-1", by: .collector, after: nil,
            [
                records(
                    .put, form, [0, 1, 6], by: .collector,
                    [
                        Row(id: 10, values: [.text("Sara"), .integer(30), .text("first")]),
                        Row(id: 11, values: [.text("Jacob"), .integer(4), .absent]),
                    ]),
                records(
                    .edit, form, [1], by: .collector,
                    [
                        Row(
                            id: 10, parents: [OperationName(batch: .thisBatch, index: 0)],
                            values: [.integer(31)])
                    ]),
            ])
        // Two edits of one field that have not seen each other, and one field cleared.
        seal(
            "founder-edit", by: .founder, after: "values",
            [
                records(
                    .edit, form, [0, 6], by: .founder, also: [visitor],
                    [
                        Row(
                            id: 10, creator: 1, parents: [name("collector-1", 2)],
                            values: [.text("Sarah"), .absent])
                    ])
            ])
        seal(
            "collector-edit", by: .collector, after: "collector-1",
            [
                records(
                    .edit, form, [0], by: .collector,
                    [
                        Row(
                            id: 10, parents: [name("collector-1", 2)], values: [.text("Zara")])
                    ]),
                records(
                    .delete, form, [], by: .collector,
                    [Row(id: 11, parents: [name("collector-1", 1)])]),
            ])
        // The restoring batch refers to others than its form's, and to a later version's fields.
        seal(
            "founder-restore", by: .founder, after: "founder-edit",
            [
                records(
                    .restore, form, [], by: .founder, also: [visitor],
                    [Row(id: 11, creator: 1, parents: [name("collector-edit", 1)])]),
                records(
                    .edit, name("form-2", 0), [1, 2, 3, 4], by: .founder,
                    also: [visitor],
                    [
                        Row(
                            id: 11, creator: 1,
                            parents: [
                                OperationName(batch: .thisBatch, index: 0),
                                name("collector-1", 1),
                            ], values: [.text("four"), .text("north"), .text("NFC"), .text("NFD")])
                    ]),
                records(
                    .delete, form, [], by: .founder,
                    [Row(id: 3, parents: [name("values", 3)])]),
            ])
        seal(
            "review", by: .reviewer, after: nil,
            [
                records(
                    .review, form, [], by: .reviewer, also: [visitor],
                    [
                        Row(
                            id: 10, creator: 1, parents: [name("collector-edit", 0)],
                            values: [.text("approved"), .absent])
                    ]),
                records(
                    .comment, form, [], by: .reviewer, also: [visitor],
                    [Row(id: 10, creator: 1, values: [.text("called back")])]),
            ])
    }

    mutating func makeRefused() {
        let form = name("form-1", 0)
        let founder = Writer.founder.key
        let nowhere = OperationName(batch: BatchID(Hash.digest([9])), index: 3)
        seal(
            "viewer-1", by: .viewer, after: nil,
            [records(.put, form, [1], by: .viewer, [Row(id: 20, values: [.integer(1)])])])
        seal(
            "collector-refused", by: .collector, after: "collector-edit",
            [
                // Of another, by a collector.
                records(
                    .edit, form, [1], by: .collector, also: [founder],
                    [Row(id: 0, creator: 1, parents: [name("values", 0)], values: [.integer(1)])]),
                // Values that do not fit.
                records(
                    .put, form, [3], by: .collector,
                    [Row(id: 21, values: [.text("2026-02-29")])]),
                records(.put, form, [2], by: .collector, [Row(id: 22, values: [.decimal(-0.0)])]),
                records(.put, form, [2], by: .collector, [Row(id: 23, values: [.integer(1)])]),
                records(.put, form, [4], by: .collector, [Row(id: 24, values: [.text("24:00")])]),
                records(.put, form, [7], by: .collector, [Row(id: 25, values: [.absent])]),
                // A record that nobody has made, and a form that nobody has.
                records(
                    .edit, form, [1], by: .collector, [Row(id: 99, values: [.integer(5)])]),
                records(
                    .put, nowhere, [0], by: .collector, [Row(id: 26, values: [.text("x")])]),
                // A second put of a record, which is an edit that has seen nothing.
                records(.put, form, [1], by: .collector, [Row(id: 10, values: [.integer(77)])]),
            ])
    }

    mutating func makeForks() {
        let parents = [name("founder-edit", 0), name("collector-edit", 0)]
        // Equal clocks, one author: the greater batch id wins.
        let start = clock
        for (batch, text) in [("fork-a", "Sally"), ("fork-b", "Sadie")] {
            clock = start
            seal(
                batch, by: .collector, after: "collector-refused",
                [
                    records(
                        .edit, name("form-1", 0), [0], by: .collector,
                        [Row(id: 10, parents: parents, values: [.text(text)])])
                ])
        }
        seal(
            "fork-a-2", by: .collector, after: "fork-a",
            [
                records(
                    .edit, name("form-1", 0), [6], by: .collector,
                    [Row(id: 10, parents: [name("fork-a", 0)], values: [.text("seen again")])])
            ])
    }

    mutating func makeOddBodies() {
        let form = name("form-1", 0)
        let at = tick()
        let sound = BodyEncoder.encode(
            [records(.put, form, [1], by: .founder, [Row(id: 30, values: [.integer(1)])])],
            author: Writer.founder.key, clock: at)
        seal(
            "malformed", by: .founder, .records, after: "founder-restore", clock: at,
            body: sound + [0])
        var body = CBORWriter()
        body.array(4)
        body.array(4)
        body.write(unsigned: 65)
        body.write(2)
        body.write(text: "odd: passed over")
        body.map(1)
        body.write(1)
        body.write(0.5)
        body.array(3)
        body.write(unsigned: 66)
        body.write(1)
        body.write(text: "even: an update is needed")
        body.array(2)
        body.write(unsigned: 8)
        body.write(3)
        let last = BodyEncoder.encode(
            [records(.put, form, [1], by: .founder, [Row(id: 31, values: [.integer(1)])])],
            author: Writer.founder.key, clock: clock)
        body.append(last.dropFirst())
        seal(
            "odd-kinds", by: .founder, .records, after: "malformed", clock: clock,
            body: body.bytes)
    }

    mutating func makeDepartures() {
        let form = name("form-1", 0)
        seal(
            "leaver-1", by: .leaver, after: nil,
            [records(.put, form, [1], by: .leaver, [Row(id: 40, values: [.integer(40)])])])
        seal(
            "departures", by: .founder, .control, after: "form-2",
            [
                control(
                    .removal(
                        Removal(
                            subject: Writer.leaver.key,
                            heads: CoveredHeads(control: [], records: [head("leaver-1")]),
                            supersedes: [name("grants", 3)], reason: "lost on the ferry"))),
                control(
                    .roleChange(
                        RoleChange(
                            subject: Writer.viewer.key, role: .contributor,
                            heads: CoveredHeads(control: [], records: [head("viewer-1")]),
                            supersedes: [name("grants", 2)]))),
            ])
        seal(
            "leaver-2", by: .leaver, after: "leaver-1",
            [records(.put, form, [1], by: .leaver, [Row(id: 41, values: [.integer(41)])])])
        seal(
            "viewer-2", by: .viewer, after: "viewer-1",
            [records(.put, form, [1], by: .viewer, [Row(id: 42, values: [.integer(42)])])])
        seal(
            "stranger-1", by: .stranger, after: nil,
            [records(.put, form, [1], by: .stranger, [Row(id: 43, values: [.integer(43)])])])
    }
}
