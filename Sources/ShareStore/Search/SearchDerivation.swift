import ShareCore

/// The index for searches: the folded texts of each record, and where each three letters in a row
/// occur. Each form has tables of its own, so that one can be dropped quickly.
package struct SearchDerivation: RowDerivation {
    /// The texts of a record that people search in, as they read them.
    package typealias Texts = @Sendable (RecordRow) -> [String]

    package let suffix = SearchDerivation.ending
    static let ending = "search"
    package let tables = "-- searches 4"
    private let reader: @Sendable (FormInfo) -> Texts
    private let lists: @Sendable (FormInfo) -> [String]

    /// - Parameters:
    ///   - texts: gives for a form what is to be found of its records; it follows from the
    ///     definition in force and these lists alone.
    ///   - lists: names the lists of the room that a form uses.
    package init(
        texts: @escaping @Sendable (FormInfo) -> Texts,
        lists: @escaping @Sendable (FormInfo) -> [String] = { _ in [] }
    ) {
        reader = texts
        self.lists = lists
    }

    /// What is to be found of the records of a form.
    func texts(of form: FormInfo) -> Texts { reader(form) }

    package func basis(of form: FormInfo) throws -> String {
        try form.basis(withLists: lists(form))
    }

    package func add(_ rows: [FollowedRow], of form: FormInfo, to file: Database) throws {
        let (entry, words) = (Self.entries(form.number), Self.words(form.number))
        try file.execute(
            """
            CREATE TABLE IF NOT EXISTS \(entry)(row INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
            CREATE VIRTUAL TABLE IF NOT EXISTS \(words) USING fts5(
                text, content = '\(entry)', content_rowid = 'row', detail = none,
                tokenize = 'trigram case_sensitive 1');
            """)
        let texts = texts(of: form)
        for row in rows {
            let text = SearchText.entry(texts(row.record))
            try file.run(
                "INSERT INTO \(entry)(row, text) VALUES(?1, ?2)", .integer(row.row), .text(text))
            try file.run(
                "INSERT INTO \(words)(rowid, text) VALUES(?1, ?2)", .integer(row.row), .text(text))
        }
    }

    package func remove(_ rows: [Int64], of form: Int64, from file: Database) throws {
        guard try Self.hasTables(form, file) else { return }
        let (entry, words) = (Self.entries(form), Self.words(form))
        for row in rows {
            // An index without texts of its own wants to know what it forgets.
            try file.run(
                """
                INSERT INTO \(words)(\(words), rowid, text)
                SELECT 'delete', row, text FROM \(entry) WHERE row = ?1
                """, .integer(row))
            try file.run("DELETE FROM \(entry) WHERE row = ?1", .integer(row))
        }
    }

    package func removeAll(of form: Int64, from file: Database) throws {
        file.forgetStatements()
        try file.execute(
            """
            DROP TABLE IF EXISTS \(Self.words(form)); DROP TABLE IF EXISTS \(Self.entries(form))
            """)
    }

    static func entries(_ form: Int64) -> String { "entry_\(form)" }
    static func words(_ form: Int64) -> String { "words_\(form)" }

    static func hasTables(_ form: Int64, _ file: Database) throws -> Bool {
        try file.integer(
            "SELECT 1 FROM sqlite_schema WHERE name = ?1", .text(words(form))) != nil
    }
}

/// A text to search for, folded, and how well others fit it.
package struct SearchText: Sendable {
    /// As it was typed, in one line.
    package let text: String
    let folded: String
    let bytes: [UInt8]

    /// Nil for a text of which nothing is left to search for.
    package init?(_ text: String) {
        let words = text.split { $0.isWhitespace }
        self.text = words.joined(separator: " ")
        bytes = FoldedText.bytes(self.text)
        folded = String(decoding: bytes, as: UTF8.self)
        guard !bytes.isEmpty, bytes.count <= Self.longest else { return nil }
    }

    /// Bytes of a text that can be searched for.
    package static let longest = 1_024

    /// The texts of a record as the index has them: each in one line, one below the other, so that
    /// nothing is found across two.
    static func entry(_ texts: [String]) -> String {
        var entry: [UInt8] = []
        for text in texts where !text.isEmpty {
            if !entry.isEmpty { entry.append(UInt8(ascii: "\n")) }
            for byte in FoldedText.bytes(text) {
                entry.append(byte < 0x20 ? UInt8(ascii: " ") : byte)
            }
            if entry.count > Self.longestEntry { break }
        }
        return String(decoding: entry, as: UTF8.self)
    }

    /// Bytes of a record's texts that are indexed, but for the last text.
    private static let longestEntry = 1 << 20

    /// The query for the index: letters in threes, spread over the text; nil where it is shorter.
    var query: String? {
        let scalars = Array(folded.unicodeScalars)
        guard scalars.count >= 3 else { return nil }
        let last = scalars.count - 3
        let count = min(last + 1, Self.mostParts)
        let positions = (0..<count).map { count == 1 ? 0 : $0 * last / (count - 1) }
        return Set(positions).sorted().map { position in
            var part = "\""
            for scalar in scalars[position..<position + 3] {
                if scalar == "\"" { part.unicodeScalars.append(scalar) }
                part.unicodeScalars.append(scalar)
            }
            return part + "\""
        }.joined(separator: " AND ")
    }

    /// Parts of a text that the index is asked for.
    private static let mostParts = 12

    /// How well an entry's folded texts fit: 0 for a whole text, 1 for the beginning of one, 2 for
    /// that of a word, 3 for any other part; nil where it is not found.
    func rank(_ entry: String) -> Int? {
        var best: Int?
        for line in entry.utf8.split(separator: UInt8(ascii: "\n")) {
            let line = Array(line)
            guard line.count >= bytes.count else { continue }
            for start in 0...(line.count - bytes.count)
            where line[start] == bytes[0]
                && line[start..<start + bytes.count].elementsEqual(bytes)
            {
                let rank =
                    start == 0
                    ? (line.count == bytes.count ? 0 : 1)
                    : SearchText.isPartOfWord(line[start - 1]) ? 3 : 2
                if rank < best ?? 4 { best = rank }
                if rank == 0 { return 0 }
            }
        }
        return best
    }

    /// The same for a text as people read it.
    package func rank(of text: String) -> Int? { rank(SearchText.entry([text])) }

    /// What stands around the place where it is found, in one line.
    ///
    /// - Parameter count: characters on each side.
    package func around(_ text: String, _ count: Int) -> String {
        let line = text.unicodeScalars.map { $0.value < 0x20 ? " " : $0 }
        var whole = String.UnicodeScalarView()
        whole.append(contentsOf: line)
        guard let found = FoldedText.range(of: bytes, in: String(whole)) else { return "" }
        var start = max(found.lowerBound - count, 0)
        var end = min(found.upperBound + count, line.count)
        // Whole words, where they end nearby.
        if start > 0, let space = line[start..<found.lowerBound].firstIndex(of: " ") {
            start = space + 1
        }
        if end < line.count, let space = line[found.upperBound..<end].lastIndex(of: " ") {
            end = space
        }
        var part = String.UnicodeScalarView()
        part.append(contentsOf: line[start..<end])
        return (start > 0 ? "..." : "") + String(part) + (end < line.count ? "..." : "")
    }

    private static func isPartOfWord(_ byte: UInt8) -> Bool {
        byte >= 0x80 || (48...57).contains(byte) || (97...122).contains(byte)
    }
}
