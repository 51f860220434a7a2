import Foundation
import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

@testable import ShareStore

/// The table of docs/security.md, cell by cell: a sender that skips all checks of its own, and a
/// receiver with its file and its synchronisation.
struct RoleTableTests {
    @Test func `the table in the document is the one that is tested`() throws {
        let data = try Data(contentsOf: Repository.url("docs/security.md"))
        let text = String(decoding: data, as: UTF8.self)
        let section = try #require(text.components(separatedBy: "\n## Roles\n").last)
        let rows = section.components(separatedBy: "\n## ")[0].components(separatedBy: "\n")
            .filter { $0.hasPrefix("|") }
            .map { line in
                line.split(separator: "|").map { $0.trimmingCharacters(in: [" "]) }
            }
        let authors = RoleOperation.Author.allCases
        #expect(rows.first == ["operation"] + authors.map(\.description))
        var expected: [[String]] = []
        for operation in RoleOperation.allCases {
            expected.append(
                [operation.rawValue]
                    + authors.map { operation.isAllowed(to: $0) ? "yes" : "no" })
        }
        #expect(Array(rows.dropFirst(2)) == expected)
    }

    /// The tables of "Verdicts" in docs/protocol.md say the same, for who writes another program.
    @Test func `the tables in the protocol are the one that is tested`() throws {
        let data = try Data(contentsOf: Repository.url("docs/protocol.md"))
        let section = try #require(
            String(decoding: data, as: UTF8.self).components(separatedBy: "\n## Verdicts\n").last)
        var columns: [[Role]] = []
        var tested: Set<RoleOperation> = []
        for line in section.components(separatedBy: "\n## ")[0].components(separatedBy: "\n")
        where line.hasPrefix("|") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: [" "]) }
            if cells[0] == "operation" {
                let named = cells.dropFirst().map { heading in
                    Role.allCases.filter {
                        heading.components(separatedBy: ", ").contains($0.name)
                    }
                }
                let others = Role.allCases.filter { !named.joined().contains($0) }
                columns = named.map { $0.isEmpty ? others : $0 }
            }
            guard let rows = Self.rows[cells[0]] else { continue }
            for (roles, cell) in zip(columns, cells.dropFirst()) {
                // One word for all of the row, or one for each of them.
                let words = cell.components(separatedBy: " / ")
                for (index, operation) in rows.enumerated() {
                    let word = words.count == 1 ? words[0] : words[index]
                    for role in roles {
                        #expect(
                            operation.isAllowed(to: .member(role)) == (word == "yes"),
                            "\(role.name): \(operation.rawValue)")
                    }
                }
            }
            tested.formUnion(rows)
        }
        // One row stands for edit, delete and restore.
        #expect(
            tested
                == Set(RoleOperation.allCases).subtracting([
                    .found, .deleteOwn, .deleteOther, .restoreOwn, .restoreOther,
                ]))
    }

    /// The rows of the protocol's tables, and what each is about.
    private static let rows: [String: [RoleOperation]] = [
        "put": [.put],
        "edit, delete, restore: own / another's": [.editOwn, .editOther],
        "comment: own / another's": [.commentOwn, .commentOther],
        "review": [.reviewOwn, .reviewOther],
        "set, keys `open`, `hidden`, `autopush` and `quota`": [
            .setOpen, .setHidden, .setAutopush, .setQuota,
        ],
        "set, other keys": [.set],
        "form, list, part": [.form, .list],
        "grant of viewer, contributor, collector": [
            .grantViewer, .grantContributor, .grantCollector,
        ],
        "grant of reviewer, editor, owner": [.grantReviewer, .grantEditor, .grantOwner],
        "role change, removal of another, accept": [.roleChange, .removal, .accept],
        "removal of oneself": [.leave],
    ]

    @Test(arguments: RoleOperation.allCases, RoleOperation.Author.allCases)
    func `a receiver takes what a role may do and nothing else`(
        operation: RoleOperation, author: RoleOperation.Author
    ) throws {
        let scene = try RoleScene(author)
        let batch = scene.member.seal(operation)
        let before = try scene.state()
        try scene.send(batch)
        let after = try scene.state()
        let outcome = scene.receiver.outcomes.last { $0.head == batch.head }
        guard operation.isAllowed(to: author) else {
            #expect(after == before)
            #expect(outcome.map { $0.accepted } ?? 0 == 0)
            return
        }
        #expect(outcome?.fate == .stored)
        #expect(outcome?.accepted == 1)
        #expect(outcome?.refused == 0)
        #expect(try scene.shows(operation, batch))
    }

    @Test func `of a role lowered midway what lies before counts, what lies behind does not`()
        throws
    {
        let scene = try RoleScene(.member(.editor))
        let (writer, key) = (scene.receiver.writer, scene.member.identity.key)
        let before = scene.member.seal(.editOther)
        var member = scene.member
        member.heads[.records] = before.head
        let behind = member.seal(.deleteOther)
        try scene.send(before)
        try scene.send(behind)
        #expect(scene.receiver.outcomes.suffix(2).map(\.accepted) == [1, 1])
        let lowered = try writer.sealControl(
            [
                .roleChange(
                    RoleChange(
                        subject: key, role: .collector,
                        heads: CoveredHeads(control: [], records: [before.head]),
                        supersedes: writer.authority.latest(about: key)))
            ], wall: 1_700_000_600_000)
        try scene.receiver.refresh()
        #expect(lowered.number > 0)
        #expect(try writer.counts(of: before.id).accepted == 1)
        #expect(try writer.counts(of: behind.id).refused == 1)
        #expect(
            try writer.integer("SELECT age FROM visit WHERE name = 'founder'") == 8)
    }

    @Test(arguments: [
        RoleOperation.Author.member(.collector), .removed, .stranger, .member(.editor),
    ])
    func `nobody below an owner makes itself owner`(author: RoleOperation.Author) throws {
        let scene = try RoleScene(author)
        let before = scene.receiver.writer.members
        let grant = Grant(
            subject: scene.member.identity.key, role: .owner, firstControl: 1, firstRecords: 1,
            supersedes: scene.member.seenOfItself)
        try scene.send(scene.member.control(.grant(grant)))
        #expect(scene.receiver.writer.members == before)
    }

    @Test func `the only owner can leave, and the recovery key makes another one`() throws {
        let bench = try Bench()
        let founder = bench.founder
        let other = try bench.device(.collector).identity.key
        bench.wall += 1
        try bench.remove(founder.identity.key)
        #expect(founder.authority.owners.isEmpty)
        let nonce = try #require(founder.authority.nonce)
        let change = RoleChange(
            subject: other, role: .owner, heads: CoveredHeads(control: [], records: []),
            supersedes: founder.authority.latest(about: other))
        let recovery = bench.recovery.identity(nonce: nonce)
        _ = try founder.decide([.roleChange(change)], as: recovery, wall: bench.wall)
        #expect(founder.authority.owners == [other])
    }

    @Test func `two owners who act at once come to one answer in both orders`() throws {
        let bench = try Bench()
        let second = try bench.device(.owner)
        let third = try bench.device(.collector)
        try Bench.merge(Bench.batches(of: bench.founder), into: second)
        let key = third.identity.key
        let none = CoveredHeads(control: [], records: [])
        let seen = bench.founder.authority.latest(about: key)
        let operations: [ControlOperation] = [
            .roleChange(RoleChange(subject: key, role: .editor, heads: none, supersedes: seen)),
            .roleChange(RoleChange(subject: key, role: .viewer, heads: none, supersedes: seen)),
        ]
        var batches: [Batch] = []
        for (writer, operation) in zip([bench.founder, second], operations) {
            bench.wall += 1
            batches.append(try writer.sealControl([operation], wall: bench.wall))
        }
        try Bench.merge([batches[1]], into: bench.founder)
        try Bench.merge([batches[0]], into: second)
        #expect(try Bench.dump(bench.founder) == Bench.dump(second))
        #expect(second.authority.currentRole(of: key) == .viewer)
    }
}
