import Foundation
import JSON
import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

/// Authority as another program has it, which was written from docs/protocol/authority.md alone:
/// wars of owners, forks and removals come to the same in both.
@Suite struct AuthorityInteropTests {
    @Test func `a program written from the document judges as this one does`() async throws {
        let seed = TestSeed.printed()
        var random = SeededRandom(seed: seed)
        var text = ""
        for lines in (AuthorityScripts.all + AuthorityScripts.found).map({
            $0.split(separator: "\n").map(String.init)
        }) {
            text += try Self.document(lines) + "\n"
        }
        for _ in 0..<(Exhaustive.isOn ? 8_000 : 400) {
            text += try Self.document(AuthorityExhaustiveTests.randomLines(&random)) + "\n"
            text += try Self.document(AuthorityWars.lines(&random)) + "\n"
            text += try Self.document(AuthorityForks.lines(&random)) + "\n"
        }
        for round in 0..<(Exhaustive.isOn ? 2_000 : 24) {
            text += try Self.document(AuthorityFloods.lines(&random)) + "\n"
            guard round.isMultiple(of: 4) else { continue }
            text += try Self.document(AuthorityWars.lines(&random, upTo: 40)) + "\n"
        }
        let folder = try ScratchFolder()
        try text.write(toFile: folder.path + "/histories", atomically: true, encoding: .utf8)
        let run = try await Interop.run("check_authority.py", [folder.path + "/histories"])
        #expect(run.code == 0, "seed \(seed)\n\(run.output.prefix(2_000))\(run.errors)")
    }

    private static func document(_ lines: [String]) throws -> String {
        let history = AuthorityHistory(lines)
        let authority = history.authority
        var verdicts: [String: String] = [:]
        for (name, verdict) in authority.verdicts {
            verdicts["\(AuthorityHistory.label(name.batch)).\(name.index)"] = word(verdict)
        }
        // What hangs in the air waits, and no rule of the document says more about it.
        func isHeld(_ batch: ControlBatch) -> Bool {
            batch.head.number == 1
                || history.batches.contains {
                    $0.head.batch == batch.previous && $0.author == batch.author
                        && $0.head.number + 1 == batch.head.number && isHeld($0)
                }
        }
        for batch in history.batches where !isHeld(batch) {
            for entry in batch.entries {
                verdicts["\(AuthorityHistory.label(batch.head.batch)).\(entry.index)"] = nil
            }
        }
        let content: [String: Any] = [
            "lines": lines, "room": AuthorityHistory.label(BatchID(AuthorityHistory.room.digest)),
            "batches": history.batches.map(batch), "verdicts": verdicts,
            "members": Dictionary(
                uniqueKeysWithValues: authority.members.map {
                    (label($0.device), Int($0.role.rawValue))
                }),
            "scopes": Dictionary(
                uniqueKeysWithValues: authority.members.filter { !$0.scopes.isEmpty }.map {
                    (label($0.device), $0.scopes.flatMap { $0.forms.map(\.id) }.sorted())
                }),
        ]
        let data = try JSONSerialization.data(withJSONObject: content, options: [.sortedKeys])
        return String(decoding: data, as: UTF8.self)
    }

    private static func label(_ key: DeviceKey) -> String {
        String(decoding: key.bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    private static func batch(_ batch: ControlBatch) -> [String: Any] {
        [
            "id": AuthorityHistory.label(batch.head.batch), "author": label(batch.author),
            "number": Int(batch.head.number),
            "previous": AuthorityHistory.label(batch.previous),
            "operations": batch.entries.map { operation($0.operation) },
        ]
    }

    private static func operation(_ operation: ControlOperation) -> [String: Any] {
        func heads(_ heads: CoveredHeads) -> [String: Any] {
            func list(_ heads: [LogHead]) -> [[Any]] {
                heads.map { [Int($0.number), AuthorityHistory.label($0.batch)] }
            }
            return ["control": list(heads.control), "records": list(heads.records)]
        }
        func names(_ names: [OperationName]) -> [[Any]] {
            names.map { [AuthorityHistory.label($0.batch), $0.index] }
        }
        func merged(_ one: [String: Any], _ other: [String: Any]) -> [String: Any] {
            one.merging(other) { first, _ in first }
        }
        switch operation {
        case .found(let found):
            return ["what": "found", "role": 6, "recovery": label(found.recovery)]
        case .set: return ["what": "set"]
        case .form: return ["what": "form"]
        case .part: return ["what": "part"]
        case .list: return ["what": "list"]
        case .grant(let grant):
            return [
                "what": "grant", "subject": label(grant.subject), "scope": scope(grant.scope),
                "role": Int(grant.role.rawValue), "firstControl": Int(grant.firstControl),
                "firstRecords": Int(grant.firstRecords), "supersedes": names(grant.supersedes),
            ]
        case .roleChange(let change):
            return merged(
                [
                    "what": "role change", "subject": label(change.subject),
                    "scope": scope(change.scope),
                    "role": Int(change.role.rawValue), "supersedes": names(change.supersedes),
                ], heads(change.heads))
        case .removal(let removal):
            return merged(
                [
                    "what": "removal", "subject": label(removal.subject),
                    "supersedes": names(removal.supersedes),
                ], heads(removal.heads))
        case .accept(let acceptance):
            return merged(
                ["what": "accept", "subject": label(acceptance.subject)],
                heads(acceptance.heads))
        }
    }

    /// The forms of a scope, none of which has a condition.
    private static func scope(_ scope: Scope?) -> Any {
        guard let scope else { return NSNull() }
        return Dictionary(uniqueKeysWithValues: scope.forms.map { ($0.id, [String: Any]()) })
    }

    private static func word(_ verdict: Verdict) -> String {
        switch verdict {
        case .accepted: return "accepted"
        case .waiting(let waiting): return "waiting: \(waiting.rawValue)"
        // The reasons are for people; what counts is that it does not.
        case .refused: return "refused"
        }
    }
}
