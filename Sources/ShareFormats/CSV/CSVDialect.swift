/// The separator of a CSV file, found in its first line.
struct CSVDialect {
    static let separators: [UInt8] = [
        UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t"),
    ]

    let separator: UInt8
    /// Bytes at the front that are no part of the table.
    let skipped: Int
    /// Lines at the front that are no part of the table.
    let skippedLines: Int

    /// The dialect of a file that begins with `head`; nil where more bytes are needed.
    /// - Throws: `utf16`.
    static func found(
        in head: [UInt8], isWhole: Bool, separator given: UInt8?
    ) throws(CSVError) -> CSVDialect? {
        if head.starts(with: [0xff, 0xfe]) || head.starts(with: [0xfe, 0xff]) { throw .utf16 }
        if !isWhole, head.count < 3 { return nil }
        let start = head.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0
        var counts = [0, 0, 0]
        var isQuoted = false
        var index = start
        while index < head.count {
            let byte = head[index]
            if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if !isQuoted {
                if byte == 0x0a || byte == 0x0d { break }
                if let position = separators.firstIndex(of: byte) { counts[position] += 1 }
            }
            index += 1
        }
        let isLine = index < head.count
        guard isLine || isWhole else { return nil }
        if let named = named(by: head[start..<index]) {
            // The line's end may be one byte or two: wait for the second.
            guard index + 1 < head.count || isWhole else { return nil }
            let isPair = index + 1 < head.count && head[index] == 0x0d && head[index + 1] == 0x0a
            return CSVDialect(
                separator: given ?? named, skipped: min(head.count, index + (isPair ? 2 : 1)),
                skippedLines: 1)
        }
        let best = counts.indices.max { (counts[$0], -$0) < (counts[$1], -$1) } ?? 0
        return CSVDialect(separator: given ?? separators[best], skipped: start, skippedLines: 0)
    }

    /// The separator of a line `sep=;`, which some spreadsheets put in front.
    private static func named(by line: ArraySlice<UInt8>) -> UInt8? {
        guard line.count == 5, line.starts(with: "sep=".utf8), let sign = line.last,
            separators.contains(sign)
        else { return nil }
        return sign
    }
}
