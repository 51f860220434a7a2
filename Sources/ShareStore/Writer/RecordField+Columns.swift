import ShareCore

/// How the file notes what a conflict is about.
extension RecordField {
    /// The hidden fields have types of their own, so that no form's field can be taken for them.
    private static let deletedType: Int64 = 255
    private static let reviewType: Int64 = 254

    var columns: (name: String, type: Int64) {
        switch self {
        case .field(let field): (field.name, Int64(field.type.rawValue))
        case .deleted: ("_deleted", RecordField.deletedType)
        case .reviewState: ("_state", RecordField.reviewType)
        }
    }

    init?(name: String, type: Int64) {
        switch type {
        case RecordField.deletedType: self = .deleted
        case RecordField.reviewType: self = .reviewState
        default:
            guard let type = UInt8(exactly: type).flatMap({ StorageType(rawValue: $0) }) else {
                return nil
            }
            self = .field(FormField(name: name, type: type))
        }
    }

    /// By the bytes of the name, then by type.
    static func < (a: RecordField, b: RecordField) -> Bool {
        let (a, b) = (a.columns, b.columns)
        return a.name.utf8.elementsEqual(b.name.utf8)
            ? a.type < b.type : a.name.utf8.lexicographicallyPrecedes(b.name.utf8)
    }
}
