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
