/// A kind of file: the numbered steps that bring it up to date.
struct Schema {
    /// Step n leads from version n to n + 1.
    let steps: [String]

    /// Brings the file up to date, in one transaction.
    ///
    /// - Returns: the version that it had; 0 for a new file.
    /// - Throws: `StoreError.newerSchema`, before anything is changed.
    @discardableResult
    func migrate(_ database: Database) throws -> Int {
        let found = Int(try database.integer("PRAGMA user_version") ?? 0)
        guard found <= steps.count else {
            throw StoreError.newerSchema(found: found, known: steps.count)
        }
        guard found < steps.count else { return found }
        try database.transaction {
            for step in steps[found...] { try database.execute(step) }
            try database.execute("PRAGMA user_version = \(steps.count)")
        }
        return found
    }

    /// - Throws: `StoreError.newerSchema` for a file that this release cannot read.
    func check(_ database: Database) throws {
        let found = Int(try database.integer("PRAGMA user_version") ?? 0)
        guard found <= steps.count else {
            throw StoreError.newerSchema(found: found, known: steps.count)
        }
    }
}
