import ShareCore
import ShareCrypto

/// What the file says of control operations, members and definitions, for those who look. Kept in
/// memory so that a control batch writes what it changes and no more.
struct ControlNotes {
    /// Operations that have no effect, or none yet.
    struct Operation: Hashable {
        let count: Int
        let reason: String
        let what: String
        /// What it waits for; nil if it is refused.
        let key: [UInt8]?
    }

    struct Definition: Hashable {
        let verdict: String
        let isInForce: Bool
    }

    var operations: [LocalName: Operation] = [:]
    var definitions: [OperationName: Definition] = [:]
    var members: [DeviceKey: Role] = [:]
}
