import ShareCore
import ShareCrypto

/// The digest item of any record, from its resolved versions (docs/protocol.md, "Digest").
enum RecordItem {
    /// A field's value and the version that it comes from.
    struct Value {
        let name: String
        /// A storage type, or 255 for `_deleted`.
        let type: UInt8
        let value: FieldValue
        let version: OperationName
    }

    static func digest(
        _ record: RecordName, values: [Value], heads: [OperationName],
        review: (state: String?, version: OperationName)?, _ writer: ItemWriter
    ) -> StateDigest {
        var named = Set(values.map(\.version)).union(heads)
        if let review { named.insert(review.version) }
        let versions = named.sorted()
        let places = Dictionary(uniqueKeysWithValues: versions.enumerated().map { ($1, $0) })
        let sorted = values.sorted {
            $0.name.utf8.elementsEqual($1.name.utf8)
                ? $0.type < $1.type : $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
        }
        writer.removeAll()
        writer.array(7)
        writer.write(text: record.form)
        writer.write(record.creator.value)
        writer.write(record.id)
        writer.array(versions.count)
        for version in versions {
            writer.array(2)
            writer.write(version.batch.digest.value)
            writer.write(version.index)
        }
        writer.array(sorted.count)
        for value in sorted {
            writer.array(4)
            writer.write(text: value.name)
            writer.write(Int(value.type))
            writer.write(value.value)
            writer.write(places[value.version] ?? 0)
        }
        writer.array(heads.count)
        for head in heads.sorted() { writer.write(places[head] ?? 0) }
        if let review {
            writer.array(2)
            if let state = review.state { writer.write(text: state) } else { writer.writeNull() }
            writer.write(places[review.version] ?? 0)
        } else {
            writer.writeNull()
        }
        return writer.digest()
    }
}
