import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats
import ShareStore

/// Lists records that were deleted.
extension RecordsService {
    /// So many are listed where nobody says how many.
    static let deletedLimit = 1_000
    /// Records that are asked of the store at a time.
    private static let deletedPage = 100

    /// The deleted records of a form, on the way out.
    struct Deleted: Sendable {
        fileprivate let schema: FormSchema
        fileprivate let records: [DeletedRecord]
        fileprivate let head: ListHead?
        /// The fields that are wanted; nil for all.
        fileprivate let columns: [String]?
        fileprivate let names: [DeviceKey: String]
        /// That there are more.
        let notices: [String]
    }

    /// The deleted records that a request asks for, those that were deleted last first.
    ///
    /// - Throws: `Problem` for what is asked of records that are there alone.
    func deleted(
        _ formID: String, in room: OpenRoom, _ fields: HTTPFields
    ) async throws -> Deleted {
        let schema = try await find.schemas.find(formID, in: room)
        let form = schema.info.formID
        guard !schema.form.isRepeat else {
            throw Problem(
                .badRequest, "rows are deleted and come back with the entry that they are in",
                hint: "See `shared history ENTRY`.")
        }
        for name in ["where", "author", "state", "sort", "after"] where fields[name] != nil {
            throw Problem(
                .badRequest, "a list of deleted entries takes no \(name)",
                hint: "It takes since and limit; those that were deleted last come first.")
        }
        let text = try await find.conditionText(schema, in: room)
        let since = try fields["since"].map { try text.since($0) }
        let limit = try find.limit(fields) ?? Self.deletedLimit
        let reader = try await readers.reader(of: room)
        let records = try await reader.deletions(of: schema.info, since: since, limit: limit)
        let total =
            records.count < limit
            ? records.count : try await reader.countDeletions(of: schema.info, since: since)
        var head: ListHead?
        if fields["head"] == "true" {
            head = Self.head(of: schema)
            head?.total = total
        }
        return Deleted(
            schema: schema, records: records, head: head,
            columns: head == nil ? try Self.columns(fields, schema) : nil,
            names: await names.known(
                Array(Set(records.flatMap { [$0.name.creator, $0.deletedBy] }))),
            notices: total > records.count
                ? [
                    "\(total) entries were deleted; all of them:"
                        + " shared list \(form) --deleted --limit \(total)"
                ] : [])
    }

    /// Sends them, as they were when they were deleted.
    func write(
        _ deleted: Deleted, in room: OpenRoom, to write: ([UInt8]) async throws -> Void
    ) async throws {
        var encoder = RecordsJSONEncoder(
            deleted.schema, .list, names: deleted.names, head: deleted.head,
            columns: deleted.columns)
        encoder.begin()
        for first in stride(from: 0, to: deleted.records.count, by: Self.deletedPage) {
            let page = deleted.records[first...].prefix(Self.deletedPage)
            let details = try await room.store.perform { store in
                try page.map { try store.detail(of: $0.name) }
            }
            // Somebody may bring one back meanwhile.
            for (record, detail) in zip(page, details) where detail.isDeleted {
                encoder.append(RecordRow(record, detail))
            }
            try await write(encoder.take())
        }
        encoder.end()
        try await write(encoder.take())
    }
}

extension RecordRow {
    /// A deleted record with the values that it had.
    fileprivate init(_ record: DeletedRecord, _ detail: RecordDetail) {
        self.init(
            name: record.name, created: record.created, updated: record.deletedAt,
            state: detail.review?.state, values: detail.values)
        deletedBy = record.deletedBy
        trail = Trail(
            changer: record.deletedBy, isSent: record.isSent, isAlone: false, comments: 0,
            isChangedSinceReview: false, isInConflict: record.isInConflict)
    }
}
