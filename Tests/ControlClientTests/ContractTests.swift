import Foundation
import JSON
import ShareControl
import ShareTestKit
import Testing

/// The names that scripts rely on.
@Suite struct ContractTests {
    private let device = NamedDevice(id: "dev:a", name: "ward-1")
    private let room = NamedRoom(name: "clinic", id: "room:b")

    /// Checks the names and their order, and that the JSON reads back as an equal value.
    private func expect<Value: Codable & Equatable>(_ value: Value, _ keys: String) throws {
        let object = try value.json.members()
        #expect(object.members.map(\.key).joined(separator: " ") == keys)
        #expect(try Value(jsonText: value.jsonText) == value)
    }

    @Test func `answers carry the fields of the contract`() throws {
        let status = StatusAnswer(
            device: device, version: "0.1.0",
            rooms: [
                RoomStatus(
                    name: "clinic", id: "room:b", role: "owner", members: 2, records: 10,
                    pending: 1,
                    waiting: 0, refused: 0, conflicts: 0, digest: "00", current: true,
                    autopush: false)
            ],
            peers: PeerCounts(
                nearby: 2, connected: 1, identical: 0,
                differing: [
                    PeerDifference(
                        id: "dev:c", name: "ward-2", behind: 12, ahead: 0, digestDiffers: false)
                ]),
            discovery: DiscoveryStatus(state: "off", hint: "x"))
        try expect(status, "device version network rooms peers discovery faults")
        try expect(status.device, "id name")
        try expect(
            status.rooms[0],
            "name id role members records pending pending_entries withheld waiting blocked refused conflicts digest current "
                + "autopush open hidden activity own_log_recovery removed only_here only_here_entries readers stale others invalid repeated_keys parallel_forms parallel_lists scopes problem"
        )
        try expect(status.peers, "nearby connected identical differing")
        try expect(status.discovery, "state hint")
        try expect(
            PeerAnswer(
                name: "ward-2", state: "known", rooms: ["clinic"], identical: false, behind: 3),
            "id name state address rooms stranger identical behind ahead unsent progress last_seen last_met clock_skew"
                + " note"
        )
        try expect(
            JoinAnswer(room: room, created: false, founder: device, state: "member"),
            "room created founder state role already stays open hidden recovery incoming")
        try expect(
            InviteAnswer(
                code: "K7QX-93MP", expires: "t", role: "collector", room: room, uses: 1,
                link: "shared:join?room=clinic"),
            "code expires role name scope room uses link network")
        try expect(
            InviteStatus(
                selector: "K7", code: nil, room: room, role: "viewer", state: "expired",
                expires: "t", expiresIn: 0, uses: 2, usesLeft: 1, attempts: 0, attemptsLeft: 5,
                usedBy: [device]),
            "selector code room role name scope state expires expires_in uses uses_left attempts"
                + " attempts_left used_by")
        try expect(
            RoomSettingsAnswer(room: room, isOpen: true, isHidden: false, autopush: true),
            "room open hidden autopush quota")
        try expect(
            MemberAnswer(id: "a", name: "b", role: "c", isSelf: true),
            "id name role self former_self faults removed rank scopes progress release forms")
        try expect(
            MemberProgress(id: "a", name: "b", role: "c", state: "away"),
            "id name role state behind ahead unsent last_met held seen silent_seconds")
        try expect(
            RoomAnswer(name: "a", id: "b", role: "c", current: true),
            "name id role current removed not_left problem"
        )
        try expect(
            FormAnswer(formID: "a", title: "b", version: "c", records: 1),
            "form_id title version records parallel")
        let made = FormVersionAnswer(version: "4", by: device, at: "t")
        try expect(made, "version by at")
        try expect(ParallelForm(form: "a", inForce: made, others: [made]), "form in_force others")
        try expect(
            ListAnswer(name: "a", rows: 1, columns: ["name"], forms: []),
            "name rows columns forms parallel")
        let version = ListVersionAnswer(rows: 1, by: device, at: "t")
        try expect(version, "rows by at")
        try expect(
            ParallelList(list: "a", inForce: version, others: [version]), "list in_force others")
        try expect(AddedAnswer(id: "a", form: "f"), "id form key warnings")
        try expect(
            EditedAnswer(
                id: "a", form: "f", changed: ["x"],
                changes: [ShownChange(field: "x", label: "X", before: "", after: "1")]),
            "id form key changed changes warnings")
        try expect(
            ShownChange(field: "x", label: "X", before: "", after: "1"),
            "field label before after")
        try expect(
            PushAnswer(
                outcome: "interrupted", entries: 1, batches: 1, withheld: 0, delivered: [device],
                notConnected: [], unconfirmed: [], refusing: [],
                interrupted: [InterruptedPeer(id: "a", name: "b", missing: 1, isGone: true)]),
            "outcome entries new_entries batches withheld above_quota only_here only_here_entries contributors delivered not_connected"
                + " unconfirmed refusing interrupted"
        )
        try expect(
            InterruptedPeer(id: "a", name: "b", missing: 1, isGone: true), "id name missing gone")
        try expect(
            SyncAnswer(
                identical: false, outcome: "interrupted", received: 1, missing: 2,
                peers: [SyncPeer(id: "a", name: "b", state: "gone", behind: 0, ahead: 2)]),
            "identical outcome received missing peers absent with_unsent pending pending_entries"
                + " withheld contributor")
        try expect(
            SyncPeer(id: "a", name: "b", state: "gone", behind: 0, ahead: 2),
            "id name identical state behind ahead")
        try expect(
            RoomProgress(room: "clinic", state: "differs", behind: 1, ahead: 0),
            "room state behind ahead")
        try expect(
            ImportAnswer(
                added: 0, updated: 0, unchanged: 0,
                rejected: [RowError(line: 2, column: nil, reason: "x")], rejectedCount: 1),
            "added updated changes unchanged older deleted rejected rejected_count rows rejected_rows"
                + " rejected_csv warnings warning_count duplicates guess"
                + " dry_run")
        try expect(ImportDuplicates(), "in_file own others alike keys")
        try expect(RowError(line: 2, column: "a", reason: "x"), "line column reason hint")
        try expect(
            HistoryEntry(
                version: "v", author: "a", at: "t", kind: "edit",
                changed: ["x": .array([.null, .integer(1)])], verified: true),
            "version author author_name at kind changed shown kept verified parents parallel head"
                + " refused note"
        )
        let value = ConflictValue(value: .double(1.5), author: "a", at: "t", version: "v")
        try expect(
            ConflictAnswer(
                record: "r", creator: "c", form: "f", field: "x", winner: value, losers: [value]),
            "record creator form key field winner losers")
        try expect(value, "value shown author author_name at version changed")
        try expect(
            ParallelAnswer(
                record: "r", creator: "c", form: "f",
                branches: [
                    ParallelBranch(version: "v", author: "a", at: "t", changed: ["x": .null])
                ]),
            "record creator form key branches")
        try expect(
            ResolvedAnswer(id: "r", form: "f", changed: ["x"], deleted: false, left: []),
            "id form key changed deleted left")
        try expect(RemarkAnswer(id: "r", form: "f", state: "approved"), "id form key state")
        try expect(
            EntryView(
                id: "r", form: "f", title: "F", key: nil, author: "a", authorName: nil,
                created: "t", updated: "t", deleted: false,
                fields: [ShownField(name: "x", label: "X", value: "1")]),
            "id form title key author author_name created updated deleted change fields repeats review"
                + " changed_since_review comments conflicts problems warnings history only_here"
                + " withheld")
        try expect(ShownRepeat(name: "x", label: "X", rows: []), "name label rows")
        try expect(ShownRow(fields: [], repeats: []), "label fields repeats")
        try expect(ShownField(name: "x", label: "X", value: "1"), "name label value unit")
        try expect(
            EntryRemark(author: "a", authorName: nil, at: "t"), "author author_name at state text")
        try expect(
            ListHead(form: "f", title: "F", key: [], columns: [], former: [], total: 0),
            "form title key named columns former total fitting fits_more earlier alike wanted deleted"
        )
        try expect(
            WatchEvent(event: "e", at: "t", room: "r", peer: device, fields: ["x"], text: "y"),
            "event at room peer form record key fields changes count reason text")
        try expect(ResolveRequest(values: ["x": .null], keep: .other), "values keep")
        try expect(
            RefusedAnswer(author: "a", what: "w", reason: "r", count: 1),
            "author author_name what reason count form record key at device log batch hint answers")
        try expect(
            VerifyAnswer(
                ok: false, findings: [Finding(place: "p", what: "w")], batches: 1, records: 1,
                digest: "00"),
            "ok findings batches records digest forks")
        try expect(Finding(place: "p", what: "w", hint: "h"), "where what hint follows count")
    }

    @Test func `a problem is what RFC 9457 says, with code and hint`() throws {
        try expect(
            Problem(.noRoom, "d", hint: "h"), "type status code title detail hint")
        try expect(
            Problem(.badFile, "d", errors: [RowError(line: 1, column: nil, reason: "r")]),
            "type status code title detail hint errors")
        let newer = try Problem(jsonText: #"{"code":"from_the_future","detail":"d"}"#.utf8)
        #expect(newer == Problem(.internalError, "d"))
    }

    @Test func `a member of the wrong kind is named by its path`() {
        let text = #"{"device":{"id":1,"name":"x"}}"#.utf8
        #expect(
            throws: JSONError.wrongKind(
                path: "device.id", expected: "text", found: "a whole number")
        ) { try StatusAnswer(jsonText: text) }
        #expect(throws: JSONError.missing(key: "device.name")) {
            try StatusAnswer(jsonText: #"{"device":{"id":"x"}}"#.utf8)
        }
    }

    @Test func `the description lists every code that the daemon may answer with`() throws {
        let file = Repository.url("docs/openapi.yaml")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        let start = try #require(lines.firstIndex { $0.hasPrefix("    Problem:") })
        let listed = lines[start...].prefix { !$0.hasPrefix("        title:") }
            .filter { $0.hasPrefix("            - ") }.map { String($0.dropFirst(14)) }
        let codes = ErrorCode.allCases.filter { $0.status != nil }.map(\.rawValue)
        #expect(listed.sorted() == codes.sorted())
    }

    @Test func `texts survive percent-encoding`() {
        for text in ["", "a b", "ü/🦋", "100%", "a=b&c;d", "\u{0}\u{7f}"] {
            let encoded = PercentEncoding.encode(text)
            #expect(PercentEncoding.decode(encoded) == text)
            #expect(encoded.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
        }
        for broken in ["%", "%4", "%zz", "%ff"] { #expect(PercentEncoding.decode(broken) == nil) }
    }

    @Test func `lines are the same wherever the stream is cut`() throws {
        let text = Array("{\"a\":1}\n\n\n{\"b\":2}\nrest".utf8)
        for size in 1...text.count {
            var lines = LineSplitterProbe()
            try lines.feed(text, size)
            #expect(lines.seen == [#"{"a":1}"#, #"{"b":2}"#])
        }
    }
}
