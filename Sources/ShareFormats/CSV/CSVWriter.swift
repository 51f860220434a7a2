internal import JSON
package import ShareCore

/// Writes CSV (RFC 4180) into bytes: cells of a row one after the other, then `endRow`.
package struct CSVWriter: Sendable {
    package struct Options: Hashable, Sendable {
        /// Comma, semicolon or tab.
        package var separator = UInt8(ascii: ",")
        /// CRLF instead of LF, as RFC 4180 has it.
        package var endsLinesWithCRLF = false
        /// Begins with U+FEFF, by which some spreadsheets know UTF-8.
        package var hasByteOrderMark = false
        /// Leaves out the `'` before texts that a spreadsheet could run.
        package var isRaw = false

        package init() {}
    }

    /// The bytes written and not yet taken.
    package private(set) var bytes: [UInt8] = []
    private let options: Options
    private var rowStart = 0
    private var cells = 0

    package init(_ options: Options = Options()) {
        self.options = options
        if options.hasByteOrderMark { bytes = [0xef, 0xbb, 0xbf] }
        rowStart = bytes.count
    }

    /// Hands out what was written and starts anew, keeping the memory. Between rows only.
    package mutating func take() -> [UInt8] {
        precondition(cells == 0, "taken in the middle of a row")
        let taken = bytes
        bytes = []
        bytes.reserveCapacity(taken.capacity)
        rowStart = 0
        return taken
    }

    /// A text cell, guarded against being run as a formula.
    package mutating func text(_ text: String) {
        var text = text
        text.withUTF8 { self.text(utf8: $0) }
    }

    /// The same for UTF-8 text.
    package mutating func text(utf8: UnsafeBufferPointer<UInt8>) {
        let isGuarded =
            !options.isRaw && FormulaGuard.concerns(utf8) && !FormulaGuard.isNumber(utf8)
            && !FormulaGuard.isPlace(utf8)
        cell(utf8, isGuarded: isGuarded)
    }

    /// A whole number, with its unit behind it.
    package mutating func integer(_ value: Int64, unit: StaticString = "") {
        startCell()
        JSONWriter.append(value, to: &bytes)
        unit.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// A number, with its unit behind it.
    package mutating func decimal(_ value: Double, unit: StaticString = "") {
        startCell()
        bytes.append(contentsOf: NumberText.shortest(value).utf8)
        unit.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// A number in the digits in which it is stored; a cell without anything for what is none.
    package mutating func number(_ digits: Substring) {
        startCell()
        if CSVWriter.isNumber(digits) { bytes.append(contentsOf: digits.utf8) }
    }

    private static func isNumber(_ text: Substring) -> Bool {
        text.utf8.allSatisfy { (48...57).contains($0) || $0 == 0x2d || $0 == 0x2e }
            && Double(text) != nil
    }

    /// A cell without anything: an absent value.
    package mutating func empty() { startCell() }

    /// A cell of what `write` appends: letters, digits and `:-.`, as ids and moments have them, which
    /// need neither quotes nor a guard.
    package mutating func plain(_ write: (inout [UInt8]) -> Void) {
        startCell()
        write(&bytes)
    }

    /// A value of a field; with `isPercent` a number gets its percent sign.
    package mutating func value(_ value: FieldValue, isPercent: Bool = false) {
        switch value {
        case .absent: empty()
        case .integer(let number): integer(number, unit: isPercent ? "%" : "")
        case .decimal(let number): decimal(number, unit: isPercent ? "%" : "")
        case .text(let text): self.text(text)
        }
    }

    package mutating func endRow() {
        // A row of one empty cell would read back as no row at all.
        if cells == 1, bytes.count == rowStart { bytes.append(contentsOf: [0x22, 0x22]) }
        if options.endsLinesWithCRLF { bytes.append(0x0d) }
        bytes.append(0x0a)
        cells = 0
        rowStart = bytes.count
    }

    /// A whole row of texts, for instance the header.
    package mutating func row(_ texts: [String]) {
        for text in texts { self.text(text) }
        endRow()
    }

    private mutating func startCell() {
        if cells > 0 { bytes.append(options.separator) }
        cells += 1
    }

    private mutating func cell(_ text: UnsafeBufferPointer<UInt8>, isGuarded: Bool) {
        startCell()
        var specials: UInt8 = 0
        for byte in text { specials |= CSVWriter.special(byte) }
        var mustQuote = specials != 0
        // The front of a file is where a reader looks for a mark or `sep=`.
        if cells == 1, text.first == 0xef || text.starts(with: "sep=".utf8) { mustQuote = true }
        if mustQuote { bytes.append(0x22) }
        if isGuarded { bytes.append(UInt8(ascii: "'")) }
        if mustQuote {
            for byte in text {
                if byte == 0x22 { bytes.append(0x22) }
                bytes.append(byte)
            }
            bytes.append(0x22)
        } else {
            bytes.append(contentsOf: text)
        }
    }

    /// 1 for what has to be quoted, else 0: without a branch, so that many bytes are looked at at a
    /// time. All three separators, whichever is in use: a reader finds out which from the header.
    private static func special(_ byte: UInt8) -> UInt8 {
        (byte == 0x22 ? 1 : 0) | (byte == 0x2c ? 1 : 0) | (byte == 0x3b ? 1 : 0)
            | (byte == 0x09 ? 1 : 0) | (byte == 0x0a ? 1 : 0) | (byte == 0x0d ? 1 : 0)
    }
}

/// Keeps spreadsheets from running a text as a formula: such a text gets a `'` in front on the
/// way out, and loses exactly one on the way in, so a round trip changes nothing (docs/forms.md).
package enum FormulaGuard {
    /// Whether a text cell needs the `'`: after any `'` and spaces in front it starts with
    /// `=`, `+`, `-`, `@`, a tab or CR. A text that already has a `'` there needs one more,
    /// or the way in would take away its own.
    package static func concerns(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = text.first, first <= UInt8(ascii: "@") else { return false }
        var rest = text[...]
        rest = rest.drop { $0 == UInt8(ascii: "'") }
        rest = rest.drop { $0 == 0x20 || $0 == 0x0a }
        switch rest.first {
        case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), 0x09,
            0x0d:
            return true
        default: return false
        }
    }

    /// Whether a text is wholly a number, as the result -2 of a calculation is: `-?digits[.digits]`.
    static func isNumber(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let unsigned = text.first == UInt8(ascii: "-") ? text.dropFirst() : text[...]
        let parts = unsigned.split(
            separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        return parts.allSatisfy { part in
            !part.isEmpty && part.allSatisfy { (48...57).contains($0) }
        }
    }

    /// Whether a text is numbers of which two stand side by side, as those of a place in the south
    /// do: no spreadsheet can compute that.
    static func isPlace(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
        guard text.first == UInt8(ascii: "-"),
            text.allSatisfy({ isDigit($0) || " -.;".utf8.contains($0) })
        else { return false }
        return text.indices.dropFirst().dropLast().contains {
            text[$0] == 0x20 && isDigit(text[$0 - 1]) && isDigit(text[$0 + 1])
        }
    }

    /// The cell without the one `'` that the way out put there.
    package static func taken(
        from cell: UnsafeBufferPointer<UInt8>
    ) -> UnsafeBufferPointer<UInt8> {
        guard cell.first == UInt8(ascii: "'"), concerns(cell) else { return cell }
        return UnsafeBufferPointer(rebasing: cell.dropFirst())
    }

    /// The same of a text.
    package static func taken(from cell: String) -> String {
        guard cell.utf8.first == UInt8(ascii: "'") else { return cell }
        var cell = cell
        return cell.withUTF8 { String(decoding: taken(from: $0), as: UTF8.self) }
    }
}
