package import ShareCrypto

/// What names a record: the form it fills, the device that created it, and its id. Equal ids of
/// two creators, or in two forms, are two records.
package struct RecordName: Hashable, Comparable, Sendable {
    package let form: String
    package let creator: DeviceKey
    package let id: RecordID

    package init(form: String, creator: DeviceKey, id: RecordID) {
        self.form = form
        self.creator = creator
        self.id = id
    }

    package static func < (a: RecordName, b: RecordName) -> Bool {
        if a.form != b.form { return a.form.utf8.lexicographicallyPrecedes(b.form.utf8) }
        return (a.creator, a.id) < (b.creator, b.id)
    }
}
