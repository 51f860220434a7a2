package import ShareCrypto

/// One device's log of one kind, in a room that the context names.
package struct LogName: Hashable, Comparable, Sendable {
    package let author: DeviceKey
    package let kind: LogKind

    package init(author: DeviceKey, kind: LogKind) {
        self.author = author
        self.kind = kind
    }

    /// Control logs come first, as they travel first.
    package static func < (a: LogName, b: LogName) -> Bool {
        (a.kind, a.author) < (b.kind, b.author)
    }
}

/// The two logs that each device keeps in each room.
package enum LogKind: UInt8, Hashable, Comparable, Sendable, CaseIterable {
    /// Founding, settings, forms, lists, grants, role changes, removals, acceptances.
    case control = 0
    /// Everything about records.
    case records = 1

    package var name: String {
        switch self {
        case .control: "control"
        case .records: "records"
        }
    }

    package static func < (a: LogKind, b: LogKind) -> Bool { a.rawValue < b.rawValue }
}

/// The end of a branch of a log: a batch's number and its id. A number alone names nothing.
package struct LogHead: Hashable, Comparable, Sendable {
    package let number: UInt64
    package let batch: BatchID

    package init(number: UInt64, batch: BatchID) {
        self.number = number
        self.batch = batch
    }

    package static func < (a: LogHead, b: LogHead) -> Bool {
        (a.number, a.batch) < (b.number, b.batch)
    }
}
