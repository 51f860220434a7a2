/// The texts that were searched for on this device last; they are shared with nobody.
extension NodeStore {
    /// Texts that are remembered.
    private static let mostSearches = 20

    /// The last searches, newest first, none twice.
    package func searches() throws -> [String] {
        try database.rows("SELECT text FROM search ORDER BY number DESC").compactMap {
            if case .text(let text) = $0[0] { text } else { nil }
        }
    }

    /// Notes a search, in the place of one that differs in case and marks alone.
    package func noteSearch(_ text: SearchText) throws {
        try database.transaction {
            try database.run("DELETE FROM search WHERE folded = ?1", .text(text.folded))
            try database.run(
                "INSERT INTO search(text, folded) VALUES(?1, ?2)", .text(text.text),
                .text(text.folded))
            try database.run(
                """
                DELETE FROM search WHERE number NOT IN
                (SELECT number FROM search ORDER BY number DESC LIMIT \(Self.mostSearches))
                """)
        }
    }

    package func clearSearches() throws { try database.run("DELETE FROM search") }
}
