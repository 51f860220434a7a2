/// Reads the entries of a form from a file that arrives in pieces.
///
/// All problems are collected, so that one look mends the file. Unless good rows are kept, whoever
/// calls writes nothing if `problemCount` is not 0 at the end.
package protocol EntryReading: Sendable {
    /// The fields that the file says something of, as places in `form.stored`: an update touches
    /// these and no others. Nil before that is known.
    var positions: [Int]? { get }
    /// Whether rows may name the records that they change.
    var namesRecords: Bool { get }
    /// All that is wrong with the file, in its order.
    var found: ImportProblems { get }
    /// Rows with problems.
    var badRowCount: Int { get }
    /// The first line of a file of such rows, where good ones are kept; empty where none is needed.
    var header: [UInt8] { get }
    /// How many values stand in columns of fields that only earlier versions have: not read.
    var unread: [String: Int] { get }
    /// How the cells are written that cannot be read as they stand.
    var guess: HabitGuess { get }
    /// Rows read.
    var rowCount: Int { get }
    /// What the file calls the column of a field; nil where it has none, and where it calls another
    /// column by the field's name.
    func title(ofField name: String) -> String?

    /// Takes the next bytes and hands each entry without a problem to `body`, in order.
    mutating func read(_ bytes: [UInt8], _ body: (ImportedEntry) -> Void)
    /// The rows with problems since the last call by their lines, as they were, where good ones are
    /// kept: whoever reads a long file takes them now and then.
    mutating func takeBadRows() -> [(line: Int, raw: [UInt8])]
    /// Takes the end of the file into account.
    mutating func finish(_ body: (ImportedEntry) -> Void)
}

extension EntryReading {
    /// The first problems, in the order of the file, at most `CSVLimits.problems`.
    package var problems: [ImportProblem] { found.first }
    /// How many there are in all.
    package var problemCount: Int { found.count }
}
