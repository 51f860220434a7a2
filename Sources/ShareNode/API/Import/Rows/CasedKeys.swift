import ShareCore
import ShareFormats
import ShareStore

/// Keys of rows that others have too, but for upper and lower case: on paper these are one.
struct CasedKeys: Sendable {
    /// The ways in which one key is written.
    private struct Ways: Sendable {
        /// That of the first row with it, and what it is.
        let first: RowDigest
        let row: Int32
        /// Whether another row's is another.
        var hasOther = false
        /// Records that are written otherwise than a row: the first two ways.
        var records: [(digest: RowDigest, name: String)] = []
    }

    /// Which cells of a row may be written in two ways.
    private let folds: [Bool]
    private let isKey: [Bool]
    private var ways: [RowDigest: Ways] = [:]
    /// Whether any row has one.
    private(set) var areThere = false

    /// - Returns: Nil where no field of the key is a text that people write.
    init?(_ form: Form, fields: [Int], isKey: [Bool]?) {
        guard let isKey else { return nil }
        folds = zip(fields, isKey).map { field, isKey in
            // Choices are names of the form, whoever types them.
            isKey && form.stored[field].storage == .text && !form.stored[field].kind.isChoice
        }
        guard folds.contains(true) else { return nil }
        self.isKey = isKey
    }

    private func folded(_ row: UnsafeRawBufferPointer) -> RowDigest {
        RowDigest(row, width: isKey.count, picks: isKey, folding: folds)
    }

    /// - Parameter key: its digest, as it is written.
    mutating func take(row: Int, _ bytes: UnsafeRawBufferPointer, _ key: RowDigest) {
        let folded = folded(bytes)
        guard var known = ways[folded] else {
            ways[folded] = Ways(first: key, row: Int32(row))
            return
        }
        guard known.first != key, !known.hasOther else { return }
        known.hasOther = true
        ways[folded] = known
        areThere = true
    }

    mutating func take(
        record bytes: UnsafeRawBufferPointer, _ key: RowDigest, name: () -> String
    ) {
        let folded = folded(bytes)
        guard var known = ways[folded], known.first != key || known.hasOther,
            known.records.count < 2, !known.records.contains(where: { $0.digest == key })
        else { return }
        known.records.append((key, name()))
        ways[folded] = known
        areThere = true
    }

    /// A record, or a row before it, whose key a row has in another writing.
    func like(
        _ bytes: UnsafeRawBufferPointer, _ key: RowDigest
    ) -> (record: String?, row: Int?)? {
        guard let known = ways[folded(bytes)] else { return nil }
        if let record = known.records.first(where: { $0.digest != key }) {
            return (record.name, nil)
        }
        return known.first == key ? nil : (nil, Int(known.row))
    }
}
