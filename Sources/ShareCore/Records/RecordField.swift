/// What an operation on a record can write.
package enum RecordField: Hashable, Sendable {
    case field(FormField)
    /// Written by delete and restore alone.
    case deleted
    /// Written by review alone.
    case reviewState
}
