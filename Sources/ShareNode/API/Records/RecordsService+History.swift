import JSON
import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats
import ShareStore

/// Histories of records.
extension RecordsService {
    /// Operations that a history shows where no other number is asked for.
    private static let historyLimit = 1_000

    /// The operations on a record, also a deleted one, oldest first.
    func history(
        _ id: String, in room: OpenRoom, _ query: HTTPFields
    ) async throws -> [HistoryEntry] {
        let limit = try RecordsPageText.limit(query, otherwise: Self.historyLimit)
        let name = try await name(id, in: room, deleted: true)
        guard let info = await room.store.form(name.form) else {
            throw StoreError.unknownRecord(id)
        }
        let schema = schemas.schema(of: info)
        let versions = try await room.store.history(of: name, limit: limit)
        var labels: [OperationName: String] = [:]
        for version in versions where version.isPending {
            labels[version.version] = "pending:\(labels.count + 1)"
        }
        func label(_ name: OperationName) -> String { labels[name] ?? name.text }
        let names = await names.known(versions.map(\.author))
        return versions.map { version in
            HistoryEntry(
                version: label(version.version), author: version.author.text,
                authorName: names[version.author], at: RecordTimestamp.text(version.at),
                kind: version.kind.word, changed: Self.changed(version, schema),
                kept: RecordsValues.json(version.kept, schema),
                verified: version.isVerified, parents: version.parents.map(label),
                parallel: version.parallel.map(label), head: version.isHead,
                refused: version.refusal?.rawValue, note: version.note)
        }
    }

    private static func changed(_ version: RecordHistory, _ schema: FormSchema) -> JSONObject {
        var changed = JSONObject()
        if let deletion = version.deletion {
            changed["_deleted"] = .array([deletion.before.json, deletion.after.json])
        }
        if let review = version.review {
            changed["_state"] = .array([review.before.json, review.after.json])
        }
        for change in version.changes {
            changed[schema.name(of: .field(change.field))] = .array([
                schema.json(change.before, of: change.field),
                schema.json(change.after, of: change.field),
            ])
        }
        return changed
    }
}

extension OperationName {
    /// The batch in hexadecimal and the index in it.
    var text: String { Hex.encode(batch.bytes) + ":\(index)" }
}
