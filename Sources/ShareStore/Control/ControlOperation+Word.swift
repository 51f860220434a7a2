package import ShareCore

extension ControlOperation {
    /// The word for it in lists of refused operations.
    package var word: String {
        switch self {
        case .found: "found"
        case .set: "set"
        case .form: "form"
        case .list: "list"
        case .grant: "grant"
        case .roleChange: "role change"
        case .removal: "removal"
        case .accept: "accept"
        }
    }
}
