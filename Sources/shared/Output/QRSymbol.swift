internal import CQREncode

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
