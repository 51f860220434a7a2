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

    /// Kind, count, references, keys, operations.
    static let elements = 5

    /// Numbers in an operation's array, its clock included.
    var width: Int {
        switch self {
        case .accept: 3
        case .set, .list: 4
        case .found, .roleChange, .removal: 5
        case .form, .grant: 6
        }
    }

    init(_ operation: ControlOperation) {
        self =
            switch operation {
            case .found: .found
            case .set: .set
            case .form: .form
            case .list: .list
            case .grant: .grant
            case .roleChange: .roleChange
            case .removal: .removal
            case .accept: .accept
            }
    }
}
