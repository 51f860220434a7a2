/// A value of one field, with its type kept to the bit. Absent is not empty text.
package enum FieldValue: Hashable, Sendable {
    case absent
    case integer(Int64)
    case decimal(Double)
    case text(String)
}
