/// A batch's body, decoded (docs/protocol.md, "Body").
package struct Body: Sendable {
    package enum Block: Sendable {
        case records(RecordsBlock)
        case control(ControlBlock)
        /// A kind that this release does not know: an odd one may be ignored, an even one means
        /// that an update is needed.
        case unknown(kind: UInt64, firstIndex: Int, count: Int)
        /// A kind that belongs to the other kind of log: refused.
        case misplaced(kind: UInt64, firstIndex: Int, count: Int)
    }

    package let blocks: [Block]
    /// All operations, known or not.
    package let operationCount: Int

    package init(blocks: [Block], operationCount: Int) {
        self.blocks = blocks
        self.operationCount = operationCount
    }
}

/// Operations of one kind in a control log.
package struct ControlBlock: Sendable {
    package struct Entry: Sendable, Hashable {
        package let clock: Timestamp
        /// The author's own clock.
        package let wall: WallTime
        package let operation: ControlOperation

        /// - Parameter wall: nil for the time that the hybrid clock says.
        package init(clock: Timestamp, wall: WallTime? = nil, operation: ControlOperation) {
            self.clock = clock
            self.wall = wall ?? WallTime(clock)
            self.operation = operation
        }
    }

    /// The place of the first entry among the batch's operations.
    package let firstIndex: Int
    package let entries: [Entry]

    package init(firstIndex: Int, entries: [Entry]) {
        self.firstIndex = firstIndex
        self.entries = entries
    }
}

/// The kinds of block in a control log.
enum ControlKind: UInt64 {
    case found = 0
    case set = 2
    case form = 4
    case list = 6
    case grant = 8
    case roleChange = 10
    case removal = 12
    case accept = 14
    case part = 16

    /// Kind, count, references, keys, operations.
    static let elements = 5

    /// Items in an operation's array, its clocks included.
    var width: Int {
        switch self {
        case .accept, .part: 4
        case .set: 5
        case .found, .removal, .list: 6
        case .form, .roleChange: 7
        case .grant: 8
        }
    }

    init(_ operation: ControlOperation) {
        self =
            switch operation {
            case .found: .found
            case .set: .set
            case .form: .form
            case .part: .part
            case .list: .list
            case .grant: .grant
            case .roleChange: .roleChange
            case .removal: .removal
            case .accept: .accept
            }
    }
}

/// Why a body is malformed: the batch keeps its place in its log, and all of it is refused.
package enum BodyError: Error, Hashable, Sendable {
    /// Not one zstd frame of the kind allowed, or not of the length that the batch states.
    case compression
    case cbor(CBORError)
    /// No operation, or more than a batch may hold.
    case operationCount
    /// More operations on one record than a batch may hold.
    case recordCount
    /// A name points at the operation itself, at a later one, or at no batch listed.
    case reference
    /// A clock, of either kind, outside its range.
    case clock
    /// A founding where none may be, or none where one must be.
    case founding
}
