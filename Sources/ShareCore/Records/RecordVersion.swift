package import ShareCrypto

/// One accepted operation on a record, as far as deciding between versions needs it.
package struct RecordVersion: Hashable, Sendable {
    package let name: OperationName
    package let author: DeviceKey
    package let clock: Timestamp
    /// The versions that its author had before it. Names that no version at hand bears count
    /// for nothing.
    package let parents: [OperationName]
    package let writes: [RecordField]

    package init(
        name: OperationName, author: DeviceKey, clock: Timestamp, parents: [OperationName],
        writes: [RecordField]
    ) {
        self.name = name
        self.author = author
        self.clock = clock
        self.parents = parents
        self.writes = writes
    }

    /// Whether this one wins where neither had seen the other: by clock, then author, then
    /// batch, then place.
    package func beats(_ other: RecordVersion) -> Bool {
        (other.clock, other.author, other.name) < (clock, author, name)
    }
}

/// A field that an operation on a record can write.
package enum RecordField: Hashable, Sendable {
    case field(FormField)
    /// Written by delete and restore alone.
    case deleted
    /// Written by review alone.
    case reviewState
}
