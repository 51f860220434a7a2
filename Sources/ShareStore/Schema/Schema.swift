/// A kind of file: the numbered steps that bring it up to date.
struct Schema {
    /// Step n leads from version n to n + 1.
    let steps: [String]

    /// Brings the file up to date, in one transaction.
    ///
    /// - Throws: `StoreError.newerSchema`, before anything is changed.
    func migrate(_ database: Database) throws {
        let found = try check(database)
        guard found < steps.count else { return }
        try database.transaction {
            for step in steps[found...] { try database.execute(step) }
            try database.execute("PRAGMA user_version = \(steps.count)")
        }
    }

    /// - Returns: the version that it has; 0 for a new file.
    /// - Throws: `StoreError.newerSchema` for a file that this release cannot read.
    @discardableResult
    func check(_ database: Database) throws -> Int {
        let found = Int(try database.integer("PRAGMA user_version") ?? 0)
        guard found <= steps.count else {
            throw StoreError.newerSchema(found: found, known: steps.count)
        }
        return found
    }
}
