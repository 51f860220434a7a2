/// The bounds of a CSV file that we read.
package enum CSVLimits {
    package static let cellBytes = 1 << 20
    /// Of the cells of a row together, and of a header line while its separator is sought.
    package static let rowBytes = 4 << 20
    package static let columns = 2_000
    /// Problems of an import that are kept; the rest is counted.
    package static let problems = 100
}
