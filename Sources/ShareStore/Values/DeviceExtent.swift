package import ShareCore
package import ShareCrypto

/// How far a device's logs go, up to a time or in all.
package struct DeviceExtent: Hashable, Sendable {
    /// The ends of what lies before the time; at most as many of each log as one operation can
    /// name.
    package var heads = CoveredHeads(control: [], records: [])
    /// Operations on records up to these heads, but such as are refused.
    package var operations = 0
    /// Operations on records that are held past the heads.
    package var pastHeads = 0
    /// When, by the device's own clock, the last batch of records up to the heads was sealed.
    package var last: WallTime?
}

/// The operations on records that are held of a device and refused for where they stand in its
/// log: past the cutoff, under a lower role, before a grant, or in a log of too many branches.
package struct DeviceRefusals: Hashable, Sendable {
    package var operations = 0
    /// The last batches that are refused so, with which all before them would count if an owner
    /// accepted them; at most as many as one operation can name, the others another time.
    package var heads: [LogHead] = []
    /// The form definitions that these batches use.
    package var definitions: Set<OperationName> = []

    package var isEmpty: Bool { heads.isEmpty }
}

/// A form definition that is held and does not count, and entries that wait for it.
package struct BlockingForm: Hashable, Sendable {
    package let definition: OperationName
    /// Nil where the definition named is none.
    package let formID: String?
    /// Operations that wait for it.
    package let entries: Int
}

/// A log in which its author has written more than one batch at one place.
package struct LogFork: Hashable, Sendable {
    package let log: LogName
    /// The first places that are taken twice, at most `mostPlaces`.
    package let numbers: [UInt64]
    /// Its branches as far as they are held.
    package let branches: Int
    /// Whether nothing of the log counts but what owners accept.
    package let isRefused: Bool

    package static let mostPlaces = 16
}

/// Operations that have no effect: the room's rules do not allow them, or their form.
package struct RefusedOperation: Hashable, Sendable {
    package let author: DeviceKey
    package let log: LogKind
    /// The batch that holds it; nil while it is not sealed.
    package let batch: LogHead?
    /// The kind of operation, or the field whose value does not fit.
    package internal(set) var what: String
    package let refusal: Refusal
    /// How many operations of one block.
    package let count: Int
    /// The form, where that is known.
    package internal(set) var form: String?
    /// The record that the first of them is about, and when that one was made, by its author's
    /// clock.
    package internal(set) var record: RecordID?
    package internal(set) var creator: DeviceKey?
    /// The values that they give new records: of the first ones, as many as `mostTold`.
    package internal(set) var values: [[FormField: FieldValue]] = []
    /// New records of one block of which all values are told.
    package static let mostTold = 100
    package internal(set) var wall: WallTime?
    /// Where they wait for a form that is refused, the fields that make them count once a version
    /// of it asks these; nil where none can.
    package internal(set) var unasked: [FormField]?
    /// Whether it would count if an owner accepted what its author wrote.
    package internal(set) var isAcceptable = false
    /// The device that a decision is about.
    package internal(set) var subject: DeviceKey?
}
