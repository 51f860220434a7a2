package import ShareCore

extension OperationSort {
    /// The word for it in lists of refused operations.
    package var word: String {
        switch self {
        case .found: "found"
        case .set, .ownersSetting: "set"
        case .form: "form"
        case .list: "list"
        case .grant, .ownersGrant: "grant"
        case .roleChange: "role change"
        case .removal: "removal"
        case .accept: "accept"
        }
    }
}

extension ControlOperation {
    /// The word for it in lists of refused operations.
    package var word: String { OperationSort(self).word }
}
