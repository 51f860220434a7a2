import ShareCore
import ShareCrypto

/// What the file says of members and definitions, for those who look. Kept in memory so that a
/// control batch writes what it changes and no more.
struct ControlNotes {
    struct Definition: Hashable {
        let local: LocalName
        let verdict: String
        let isInForce: Bool
    }

    var definitions: [OperationName: Definition] = [:]
    var members: [Member] = []
}
