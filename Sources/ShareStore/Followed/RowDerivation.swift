import ShareCore

/// Data that is derived from the rows of a room's forms and kept in a file of its own beside the
/// room's: nobody waits for it, and it can always be made again.
package protocol RowDerivation: Sendable {
    /// The ending of the file's name.
    var suffix: String { get }

    /// The tables of the file; a file with others is made anew.
    ///
    /// Each line of them belongs to a row: `row` is its number in the form's table, `form` the
    /// form's in the room's file. Tables that begin with `_` are the follower's.
    var tables: String { get }

    /// Whether its rows come with the version of their form under which they were made.
    var readsOrigins: Bool { get }

    /// All beside the rows that their data follows from, such as the form's definition: when it
    /// changes, the form's rows are taken anew.
    func basis(of form: FormInfo) throws -> String

    /// Takes rows that are new or have changed since; what was derived of them is gone before.
    func add(_ rows: [FollowedRow], of form: FormInfo, to file: Database) throws

    /// Drops what was derived of some rows; there may be nothing.
    func remove(_ rows: [Int64], of form: Int64, from file: Database) throws

    /// Drops what was derived of a form.
    func removeAll(of form: Int64, from file: Database) throws

    /// Does what takes more than single rows, in a step in which all rows have been taken.
    ///
    /// - Returns: whether more is left, for the next step.
    func finish(_ forms: [FormInfo], in files: FollowedFiles) throws -> Bool
}

extension FormInfo {
    /// The definition in force, the outermost form's for a repeat, and the versions of lists of the
    /// room: what is derived from these alone has them as its basis.
    func basis(withLists names: [String]) throws -> String {
        let definition = root?.definition ?? definition
        let versions = try lists.checked {
            names.compactMap { lists.list($0).map { String($0.number) } }
        }
        return ([Hex.encode(definition.key)] + versions).joined(separator: "-")
    }
}

extension RowDerivation {
    package var readsOrigins: Bool { false }

    package func finish(_ forms: [FormInfo], in files: FollowedFiles) throws -> Bool { false }
}

/// A record by the number of its row, which another record may have when it is gone.
package struct FollowedRow: Sendable {
    package let row: Int64
    package let record: RecordRow

    /// About what its values take.
    var bytes: Int {
        var sum = 0
        for value in record.values {
            if case .text(let text) = value { sum += text.utf8.count } else { sum += 8 }
        }
        return sum
    }
}
