import Foundation
import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

@testable import ShareStore

/// The vectors' room in a store. `SHARED_WRITE_VECTORS=1` writes what it comes to anew.
@Suite(.serialized) struct StateVectorTests {
    private struct Source: Decodable {
        struct Entry: Decodable {
            let name: String
            let bytes: String
        }
        let batches: [Entry]
    }

    private let source: [(name: String, batch: Batch)]

    init() throws {
        let data = try Data(contentsOf: StateVector.folder.appending(path: "batches.json"))
        source = try JSONDecoder().decode(Source.self, from: data).batches.map { entry in
            let digits = Array(entry.bytes.utf8)
            let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap { place in
                UInt8(String(decoding: digits[place...place + 1], as: UTF8.self), radix: 16)
            }
            return (entry.name, try Batch(verifying: bytes))
        }
    }

    /// A device that is no member, so that all it holds comes from the vectors.
    private func store(in scratch: Scratch) throws -> TestRoom {
        let founding = try #require(source.first).batch
        let identity = try #require(DeviceIdentity(seed: [UInt8](repeating: 99, count: 32)))
        return try TestRoom(
            path: scratch.path("room.sqlite"), identity: identity, founding: founding)
    }

    private func state(_ fates: [String: String], _ writer: TestRoom) throws -> StateVector {
        let view = try writer.view()
        return StateVector(
            batches: try source.map {
                StateVector.Verdicts(
                    name: $0.name, fate: fates[$0.name] ?? "",
                    operations: try verdicts(of: $0.batch, in: writer))
            },
            members: writer.members.sorted { $0.device < $1.device }.map {
                StateVector.Member(
                    key: StateVector.hex($0.device.bytes), role: $0.role.rawValue)
            },
            forms: writer.catalog.plans.sorted { $0.key < $1.key }.map {
                StateVector.Form(
                    formID: $0.key, inForce: StateVector.Name($0.value.inForce.name))
            },
            records: try records(in: writer), vector: StateVector.hex(view.vector.bytes),
            digest: StateVector.hex(view.digest.bytes))
    }

    /// A word on each operation of a batch that is held; none for others.
    private func verdicts(of batch: Batch, in writer: TestRoom) throws -> [String] {
        guard let row = try writer.row(of: batch.id) else { return [] }
        let count = (try? batch.openBody())?.operationCount ?? 1
        var words = [String](repeating: "accepted", count: count)
        func note(_ sql: String, _ word: (SQLValue) -> String) throws {
            let range = LocalName.range(of: row)
            for note in try writer.rows(
                sql, .integer(range.first), .integer(range.last))
            {
                guard case .integer(let operation) = note[0], case .integer(let count) = note[1]
                else { continue }
                let first = LocalName(rawValue: operation).index
                for place in first..<first + Int(count) { words[place] = word(note[2]) }
            }
        }
        func text(_ value: SQLValue) -> String {
            if case .text(let text) = value { text } else { "" }
        }
        try note(
            "SELECT operation, count, reason FROM _refused WHERE operation BETWEEN ?1 AND ?2"
        ) { "refused: " + text($0) }
        try note(
            "SELECT operation, count, reason FROM _waiting WHERE operation BETWEEN ?1 AND ?2"
        ) { "waiting: " + text($0) }
        try note(
            """
            SELECT v.version, 1, '' FROM _version v JOIN _record r ON r.record = v.record
            WHERE v.version BETWEEN ?1 AND ?2 AND NOT r.created
            """
        ) { _ in "waiting: record" }
        return words
    }

    private func records(in writer: TestRoom) throws -> [StateVector.Record] {
        var records: [RecordName: StateVector.Record] = [:]
        let bodies = source.compactMap { try? $0.batch.openBody() }
        for case .records(let block) in bodies.flatMap(\.blocks) {
            guard let definition = writer.catalog.definitions[block.form],
                let form = writer.catalog.forms[definition.form.formID]
            else { continue }
            for row in block.rows {
                let name = RecordName(
                    form: form.formID, creator: block.creators[Int(row.creator)], id: row.id)
                if let record = try record(name, form, in: writer) { records[name] = record }
            }
        }
        return records.sorted { $0.key < $1.key }.map(\.value)
    }

    private func record(
        _ name: RecordName, _ form: FormTable, in writer: TestRoom
    ) throws -> StateVector.Record? {
        var record = StateVector.Record(
            form: name.form, creator: StateVector.hex(name.creator.bytes),
            id: StateVector.hex(name.id.bytes), isDeleted: false, created: 0, updated: 0,
            values: [],
            heads: [])
        if let outcome = try writer.outcome(of: name, in: form) {
            let versions = outcome.stored.versions
            guard outcome.isCreated else { return nil }
            record.isDeleted = outcome.isDeleted
            record.created = WallTime(ofPut: name.id, clock: outcome.created).milliseconds
            record.updated = try #require(try writer.lastChange(outcome)).milliseconds
            record.values = outcome.values.sorted { $0.key < $1.key }.map {
                StateVector.Value($0.key, $0.value.value, versions.name(of: $0.value.winner))
            }
            record.heads = outcome.graph.heads.map { StateVector.Name(versions.name(of: $0)) }
            record.review = outcome.review.map {
                StateVector.Review(
                    state: $0.state, version: StateVector.Name(versions.name(of: $0.version)))
            }
            return record
        }
        guard let plain = try writer.row(of: name, in: form) else { return nil }
        let times = try writer.row(
            "SELECT _created, _updated FROM \(form.quoted) WHERE _id = ?1"
                + " AND \(DeviceTable.authorID) = ?2",
            .text(name.id.text), .text(name.creator.text))
        guard case .integer(let created)? = times?[0], case .integer(let updated)? = times?[1]
        else {
            return nil
        }
        (record.created, record.updated) = (UInt64(created), UInt64(updated))
        record.values = plain.values.sorted { $0.field < $1.field }.map {
            StateVector.Value($0.field, $0.value, plain.version)
        }
        record.heads = [StateVector.Name(plain.version)]
        return record
    }

    @Test func `the vectors' room comes to what the vectors say`() throws {
        let scratch = Scratch()
        let writer = try store(in: scratch)
        let outcomes = try writer.merge(source.map { IncomingBatch($0.batch) }).outcomes
        let fates = Dictionary(
            uniqueKeysWithValues: zip(source, outcomes).map { entry, outcome in
                // The founding batch made the file.
                (entry.name, outcome.fate == .known ? "stored" : "\(outcome.fate)")
            })
        let state = try state(fates, writer)
        if ProcessInfo.processInfo.environment["SHARED_WRITE_VECTORS"] != nil {
            try state.encoded().write(to: StateVector.url)
        }
        #expect(try state.encoded() == Data(contentsOf: StateVector.url))
    }

    @Test func `it comes to the same in any order, one batch at a time`() throws {
        var random = SeededRandom(seed: TestSeed.printed())
        let expected = try JSONDecoder().decode(
            StateVector.self, from: Data(contentsOf: StateVector.url))
        for _ in 0..<8 {
            let scratch = Scratch()
            let writer = try store(in: scratch)
            // What came too early is sent again, as a peer would be asked for it.
            var before: Digest?
            while try writer.view().vector != before {
                before = try writer.view().vector
                for (_, batch) in source.shuffled(using: &random) {
                    _ = try writer.merge([IncomingBatch(batch)])
                }
            }
            let state = try state([:], writer)
            #expect(state.digest == expected.digest)
            #expect(state.vector == expected.vector)
            #expect(state.records == expected.records)
            #expect(state.members == expected.members)
        }
    }
}
