/// The bounds of a spreadsheet that we read; what lies beyond is refused, never cut off.
package enum SpreadsheetLimits {
    /// Of the file as it is stored.
    package static let fileBytes = 32 << 20
    /// Parts of an .xlsx file.
    package static let parts = 4_096
    /// Of all parts that are read, unpacked: the work that a packed bomb can cause.
    package static let unpackedBytes = 192 << 20
    /// How many times its packed size a part may have, beyond `freeBytes`; deflate reaches 1,032.
    package static let ratio = 200
    package static let freeBytes = 4 << 20
    /// The nesting of XML elements; a workbook needs about ten.
    package static let depth = 64
    package static let sheets = 256
    /// The columns and the last row's number in Excel itself.
    package static let columns = 16_384
    package static let rowNumber = 1_048_576
    /// Cells that hold anything, over all sheets.
    package static let cells = 2_000_000
    /// Of one cell: four times the characters that Excel allows.
    package static let cellBytes = 4 * 32_767
    /// Of all cells together, each counted where it stands.
    package static let textBytes = 64 << 20
}
