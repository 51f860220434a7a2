/// Splits a CSV file that arrives in pieces into rows (RFC 4180, and what people's programs
/// make of it): any of CRLF, LF, CR ends a row; comma, semicolon or tab separates, as the first
/// line shows; quoted cells may contain all of these; lines without anything are skipped.
package struct CSVReader: Sendable {
    private enum State: Sendable {
        case cellStart, plain, quoted, quoteInQuoted
    }

    /// The separator in use; nil until the first line has been seen.
    package private(set) var separator: UInt8?
    private let given: UInt8?
    /// The front of the file while the separator is not known.
    private var head: [UInt8] = []
    private var row = CSVRow()
    private var position = State.cellStart
    private var cellStart = 0
    private var line = 1
    private var rowHasBytes = false
    /// The last byte was CR, so an LF now belongs to it.
    private var afterReturn = false

    /// A reader; with a `separator` the first line is not asked for one.
    package init(separator: UInt8? = nil) { given = separator }

    /// Takes the next bytes and hands each row that they complete to `body`, in order. The row
    /// is valid during the call.
    ///
    /// - Throws: `CSVError`; the reader is then of no further use.
    package mutating func read(
        _ bytes: UnsafeRawBufferPointer, _ body: (CSVRow) -> Void
    ) throws(CSVError) {
        if let separator {
            return try scan(bytes.bindMemory(to: UInt8.self), separator, body)
        }
        // A piece may be the whole file, the first line of it has a row's bound.
        let count = min(bytes.count, CSVLimits.rowBytes - head.count)
        head.append(contentsOf: bytes[..<count])
        try begin(isWhole: false, body)
        guard count < bytes.count else { return }
        guard let separator else { throw .rowTooLong(line: 1, limit: CSVLimits.rowBytes) }
        let rest = UnsafeRawBufferPointer(rebasing: bytes[count...])
        try scan(rest.bindMemory(to: UInt8.self), separator, body)
    }

    /// The same for an array.
    package mutating func read(
        _ bytes: [UInt8], _ body: (CSVRow) -> Void
    ) throws(CSVError) {
        let done = bytes.withUnsafeBytes { buffer in
            Result { () throws(CSVError) in try read(buffer, body) }
        }
        try done.get()
    }

    /// Takes the end of the file into account: the last row may lack its line's end.
    package mutating func finish(_ body: (CSVRow) -> Void) throws(CSVError) {
        if separator == nil { try begin(isWhole: true, body) }
        if position == .quoted { throw .openQuote(line: row.line, column: row.count + 1) }
        if rowHasBytes { try endRow(body) }
    }

    private mutating func begin(
        isWhole: Bool, _ body: (CSVRow) -> Void
    ) throws(CSVError) {
        guard
            let dialect = try CSVDialect.found(in: head, isWhole: isWhole, separator: given)
        else { return }
        separator = dialect.separator
        row.writing.separator = dialect.separator
        row.writing.hasByteOrderMark = head.starts(with: [0xef, 0xbb, 0xbf])
        line += dialect.skippedLines
        row.start(line: line)
        let rest = Array(head.dropFirst(dialect.skipped))
        head = []
        let done = rest.withUnsafeBufferPointer { buffer in
            Result { () throws(CSVError) in try scan(buffer, dialect.separator, body) }
        }
        try done.get()
    }

    private mutating func scan(
        _ bytes: UnsafeBufferPointer<UInt8>, _ separator: UInt8, _ body: (CSVRow) -> Void
    ) throws(CSVError) {
        let quote = UInt8(ascii: "\"")
        var index = 0
        let end = bytes.count
        while index < end {
            let byte = bytes[index]
            if afterReturn {
                afterReturn = false
                if byte == 0x0a {
                    // Inside quotes the pair is content; outside it has ended its row already.
                    if position == .quoted { row.bytes.append(byte) }
                    index += 1
                    continue
                }
            }
            switch position {
            case .cellStart, .plain:
                if position == .cellStart, byte == quote {
                    position = .quoted
                    rowHasBytes = true
                    index += 1
                    continue
                }
                let start = index
                while index < end {
                    let byte = bytes[index]
                    if byte == separator || byte == 0x0a || byte == 0x0d { break }
                    index += 1
                }
                if index > start {
                    position = .plain
                    rowHasBytes = true
                    try append(bytes, start..<index)
                }
                guard index < end else { return }
                try endCell(at: bytes[index], separator, body)
                index += 1
            case .quoted:
                let start = index
                while index < end {
                    let byte = bytes[index]
                    if byte == quote || byte == 0x0a || byte == 0x0d { break }
                    index += 1
                }
                try append(bytes, start..<index)
                guard index < end else { return }
                let byte = bytes[index]
                index += 1
                if byte == quote {
                    position = .quoteInQuoted
                } else {
                    row.bytes.append(byte)
                    line += 1
                    afterReturn = byte == 0x0d
                }
            case .quoteInQuoted:
                if byte == quote {
                    row.bytes.append(quote)
                    position = .quoted
                } else if byte == separator || byte == 0x0a || byte == 0x0d {
                    try endCell(at: byte, separator, body)
                } else {
                    throw .afterQuote(line: line, column: row.count + 1)
                }
                index += 1
            }
        }
    }

    private mutating func append(
        _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>
    ) throws(CSVError) {
        row.bytes.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[range]))
        guard row.bytes.count - cellStart <= CSVLimits.cellBytes else {
            throw .cellTooLong(
                line: row.line, column: row.count + 1, limit: CSVLimits.cellBytes)
        }
        guard row.bytes.count <= CSVLimits.rowBytes else {
            throw .rowTooLong(line: row.line, limit: CSVLimits.rowBytes)
        }
    }

    private mutating func endCell(
        at byte: UInt8, _ separator: UInt8, _ body: (CSVRow) -> Void
    ) throws(CSVError) {
        if byte == separator {
            rowHasBytes = true
            row.ends.append(row.bytes.count)
            cellStart = row.bytes.count
            position = .cellStart
            guard row.count < CSVLimits.columns else {
                throw .tooManyColumns(line: row.line, limit: CSVLimits.columns)
            }
            return
        }
        line += 1
        afterReturn = byte == 0x0d
        if rowHasBytes { try endRow(body) } else { row.start(line: line) }
    }

    private mutating func endRow(_ body: (CSVRow) -> Void) throws(CSVError) {
        row.writing.endsLinesWithCRLF = afterReturn
        row.ends.append(row.bytes.count)
        try checkText()
        body(row)
        row.start(line: line)
        cellStart = 0
        position = .cellStart
        rowHasBytes = false
    }

    /// Whether each cell is UTF-8; together they might be where one alone is not.
    private func checkText() throws(CSVError) {
        // Without an early exit, so that the compiler uses vector instructions.
        var all: UInt8 = 0
        for byte in row.bytes { all |= byte }
        if all < 0x80 { return }
        for cell in 0..<row.count {
            let isValid = row.withCell(cell) { (try? UTF8Span(validating: $0.span)) != nil }
            if !isValid { throw .notUTF8(line: row.line, column: cell + 1) }
        }
    }
}

/// A row of a CSV file: its cells without quotes, valid UTF-8.
package struct CSVRow: Sendable {
    /// The line where the row starts, from 1.
    package internal(set) var line = 1
    /// How its file writes rows.
    var writing = CSVWriter.Options()
    /// All cells, end to end.
    var bytes: [UInt8] = []
    /// Where each cell ends in `bytes`.
    var ends: [Int] = []

    /// The number of cells.
    package var count: Int { ends.count }

    /// The text of a cell.
    package subscript(index: Int) -> String {
        String(decoding: bytes[range(index)], as: UTF8.self)
    }

    /// All cells.
    package var cells: [String] { (0..<count).map { self[$0] } }

    /// Lends the bytes of a cell.
    package func withCell<R, E: Error>(
        _ index: Int, _ body: (UnsafeBufferPointer<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        let range = range(index)
        return try bytes.withUnsafeBufferPointer { buffer throws(E) in
            try body(UnsafeBufferPointer(rebasing: buffer[range]))
        }
    }

    private func range(_ index: Int) -> Range<Int> {
        (index == 0 ? 0 : ends[index - 1])..<ends[index]
    }

    mutating func start(line: Int) {
        self.line = line
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
    }
}
