internal import CQREncode
import Glibc

/// How a QR symbol is written as text, with its quiet zone.
struct QRText {
    /// Two modules in a character, as half blocks; else two characters for each module.
    var inBlocks: Bool
    /// Dark on light whatever the terminal's own colours are. Without, dark is what is printed,
    /// as on paper.
    var inColour: Bool

    /// Modules around the symbol that have to stay light.
    private static let quietZone = 4
    private static let blackOnWhite = "\u{1B}[30;107m"
    private static let asBefore = "\u{1B}[0m"

    /// As the terminal of this process can show it.
    static var ofThisTerminal: QRText {
        QRText(
            inBlocks: Terminal.isUTF8,
            inColour: isatty(STDOUT_FILENO) == 1 && Terminal.variable("TERM") != "dumb")
    }

    /// The lines, all of one width.
    func lines(of symbol: QRSymbol) -> [String] {
        let range = -Self.quietZone..<symbol.size + Self.quietZone
        return stride(from: range.lowerBound, to: range.upperBound, by: inBlocks ? 2 : 1).map {
            row in
            let text = range.map { column in
                inBlocks
                    ? Self.block(symbol.isDark(row, column), symbol.isDark(row + 1, column))
                    : symbol.isDark(row, column) ? "##" : "  "
            }.joined()
            return inColour ? Self.blackOnWhite + text + Self.asBefore : text
        }
    }

    /// How wide the lines are, whatever their colours.
    func columns(of symbol: QRSymbol) -> Int {
        (symbol.size + 2 * Self.quietZone) * (inBlocks ? 1 : 2)
    }

    private static func block(_ upper: Bool, _ lower: Bool) -> String {
        switch (upper, lower) {
        case (true, true): "\u{2588}"
        case (true, false): "\u{2580}"
        case (false, true): "\u{2584}"
        case (false, false): " "
        }
    }
}

/// A QR symbol (ISO/IEC 18004) of a text, at the lowest level of error correction: a screen does
/// not get dirty, and a smaller symbol fits more terminals.
struct QRSymbol {
    /// Modules on each side, without the quiet zone.
    let size: Int
    /// Row by row; true is dark.
    private let modules: [Bool]

    /// Nil for a text that is empty or longer than the 2,953 bytes that fit.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let count = Int32(exactly: bytes.count),
            let code = QRcode_encodeData(count, bytes, 0, QR_ECLEVEL_L)
        else { return nil }
        defer { QRcode_free(code) }
        let size = Int(code.pointee.width)
        self.size = size
        // The lowest bit says dark or light, the others what a module is for.
        modules = (0..<size * size).map { code.pointee.data[$0] & 1 == 1 }
    }

    /// Whether a module is dark; everything around the symbol is light.
    func isDark(_ row: Int, _ column: Int) -> Bool {
        guard (0..<size).contains(row), (0..<size).contains(column) else { return false }
        return modules[row * size + column]
    }
}
