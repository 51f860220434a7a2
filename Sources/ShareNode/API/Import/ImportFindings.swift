import JSON
import ShareControl
import ShareFormats

/// What is wrong with, or unusual about, rows of an import: the first are told, all are counted.
struct ImportFindings: Sendable {
    private let keepsGood: Bool
    private(set) var problems = ImportProblems()
    private(set) var warnings = ImportProblems()
    /// What was wrong with entries before rows changed them, and of how many.
    private(set) var before: [String: Int] = [:]
    /// Lines of rows that are wrong, beside those that could not be read.
    private(set) var lines = BitSet()
    /// Rows that are wrong as they were, where good ones are kept, also those that could not be
    /// read: in the order in which that was found.
    private var aside: SourceRows
    private var asideLines: [Int32] = []
    private var asideBytes = 0

    /// - Parameter path: where the room's file is.
    init(keepsGood: Bool, beside path: String) {
        self.keepsGood = keepsGood
        aside = SourceRows(beside: path)
    }

    /// A row that cannot be taken.
    ///
    /// - Throws: as `putAside`.
    mutating func reject(
        _ found: [ImportProblem], _ raw: @autoclosure () throws -> [UInt8]
    ) throws {
        guard let line = found.first?.line else { return }
        problems.add(found)
        if lines.insert(line), keepsGood { try putAside(line, raw()) }
    }

    /// The rows that a match refuses.
    ///
    /// - Throws: as `putAside`.
    mutating func reject(_ match: ImportMatcher, _ raw: (_ line: Int) throws -> [UInt8]) throws {
        problems.add(match.problems)
        try match.refused.forEach { line in
            if lines.insert(line), keepsGood { try putAside(line, raw(line)) }
        }
    }

    mutating func note(before found: [String]) {
        for one in found where before.count < CSVLimits.problems || before[one] != nil {
            before[one, default: 0] += 1
        }
    }

    mutating func note(warnings found: [ImportProblem]) { warnings.add(found) }

    /// Puts a row aside.
    ///
    /// - Throws: `Problem` of `too_large`; `SQLiteError` where the disk is full.
    mutating func putAside(_ line: Int, _ raw: [UInt8]) throws {
        asideBytes += raw.reduce(0) { $0 + JSONWriter.length(of: $1) }
        guard asideBytes <= ImportLimits.rejectedBytes else {
            throw Problem(
                .tooLarge,
                "more than \(ImportLimits.rejectedBytes >> 20) MiB of rows are wrong, too many to "
                    + "be put aside; nothing was imported",
                hint: "See what is wrong with them: import without --keep-good.")
        }
        asideLines.append(Int32(clamping: line))
        try aside.append(raw)
    }

    /// What was put aside, in the order of the file; nil where nothing was.
    func putAside(under header: [UInt8]) throws -> String? {
        guard !asideLines.isEmpty else { return nil }
        var text = header
        text.reserveCapacity(header.count + asideBytes)
        for row in asideLines.indices.sorted(by: { asideLines[$0] < asideLines[$1] }) {
            text += try aside.row(row)
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension [ImportedEntry.Doubt] {
    /// All that is wrong with a row that is a new entry; each cell is told once.
    ///
    /// A cell is called by its column where it was read, and by its field where the form looks.
    func together(with problems: [ImportProblem], of form: Form) -> [ImportProblem] {
        map(\.problem)
            + problems.filter { problem in
                !contains {
                    $0.problem.column == problem.column
                        || form.stored[$0.field].name == problem.column
                }
            }
    }

    /// The doubts that remain where some cells mean one of several choices by now.
    func settled(_ settled: [Int: ImportProblem?]) -> [ImportedEntry.Doubt] {
        guard !settled.isEmpty else { return self }
        return compactMap { doubt in
            guard let problem = settled[doubt.field] else { return doubt }
            return problem.map { ImportedEntry.Doubt(field: doubt.field, problem: $0) }
        }
    }
}
