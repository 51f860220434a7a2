/// How a field's values are stored and travel. With its form and its name it makes a field: the
/// same name with another type is another field.
package enum StorageType: UInt8, Hashable, Sendable, CaseIterable {
    /// UTF-8 as typed. Choices too: several are separated by one space.
    case text = 0
    /// A signed 64-bit number.
    case integer = 1
    /// A finite IEEE 754 double, never negative zero, which SQLite does not keep.
    case decimal = 2
    /// `YYYY-MM-DD`.
    case date = 3
    /// `hh:mm`, `hh:mm:ss` or `hh:mm:ss.fff`, with an optional offset (`Z`, `+hh:mm`).
    case time = 4
    /// A date, `T`, and a time.
    case dateTime = 5

    /// The word for it in column names (`name__type`) and documents.
    package var name: String {
        switch self {
        case .text: "text"
        case .integer: "integer"
        case .decimal: "decimal"
        case .date: "date"
        case .time: "time"
        case .dateTime: "datetime"
        }
    }
}
