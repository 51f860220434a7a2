/// Estimates of how wide text is in a sans-serif font, as no renderer is here to ask.
///
/// For each character the widest of Liberation Sans (as wide as Arial), DejaVu Sans and Noto Sans:
/// whichever of them a device has, text takes no more than this.
enum FontWidths {
    /// The width in the unit of the size.
    static func width(_ text: String, size: Double, isBold: Bool = false) -> Double {
        var hundredths = 0
        for scalar in text.unicodeScalars { hundredths += width(scalar, isBold ? bold : regular) }
        return Double(hundredths) * size / 100
    }

    static func fitting(size: Double, isBold: Bool = false) -> Fitting {
        Fitting { width($0, size: size, isBold: isBold) }
    }

    /// The measure of names, which are shortened inside.
    static func names(size: Double) -> Fitting {
        Fitting(measure: { width($0, size: size) }, keepsEnd: true)
    }

    /// Hundredths of the size for U+0020 to U+007E.
    private static let regular: [UInt8] = [
        32, 41, 46, 84, 64, 96, 78, 28, 40, 40, 56, 84, 32, 37, 32, 38, 64, 64, 64, 64, 64, 64, 64,
        64, 64, 64, 34, 34, 84, 84, 84, 56, 102, 69, 69, 73, 77, 67, 62, 78, 76, 34, 50, 67, 56, 91,
        76, 79, 67, 79, 73, 67, 62, 74, 69, 99, 69, 67, 69, 40, 38, 40, 84, 56, 50, 62, 64, 55, 64,
        62, 36, 64, 64, 28, 28, 58, 28, 98, 64, 62, 64, 64, 42, 53, 40, 64, 60, 82, 60, 60, 53, 64,
        56, 64, 84,
    ]
    private static let bold: [UInt8] = [
        35, 46, 53, 84, 70, 101, 88, 31, 46, 46, 55, 84, 38, 42, 38, 42, 70, 70, 70, 70, 70, 70, 70,
        70, 70, 70, 40, 40, 84, 84, 84, 62, 100, 78, 77, 74, 83, 69, 69, 83, 84, 39, 56, 78, 64,
        100,
        84, 85, 74, 85, 77, 73, 69, 82, 78, 111, 78, 73, 73, 46, 42, 46, 84, 56, 50, 68, 72, 60, 72,
        68, 44, 72, 72, 35, 35, 67, 35, 105, 72, 69, 72, 72, 50, 60, 48, 72, 66, 93, 65, 66, 59, 72,
        56, 72, 84,
    ]

    private static func width(_ scalar: Unicode.Scalar, _ ascii: [UInt8]) -> Int {
        let value = scalar.value
        if value >= 0x20, value < 0x7F { return Int(ascii[Int(value) - 0x20]) }
        if TerminalWidth.isMark(scalar) { return 0 }
        if TerminalWidth.isWide(scalar) { return value >= 0x1F000 ? 140 : 102 }
        // Per script, above what nine of ten letters take: words are as wide as their mean.
        let wide = ascii == bold ? 108 : 100
        switch value {
        case 0xA0...0x24F, 0x370...0x3FF: return 74 * wide / 100
        case 0x400...0x52F: return 80 * wide / 100
        case 0x590...0x5FF: return 66 * wide / 100
        case 0x600...0x8FF, 0xFB50...0xFEFC: return 80 * wide / 100
        case 0x900...0xB7F, 0xC00...0xDFF: return 84 * wide / 100
        case 0xB80...0xBFF: return 135 * wide / 100
        case 0xE00...0xEFF: return 68 * wide / 100
        case 0x1200...0x139F, 0x1780...0x17FF: return 92 * wide / 100
        case 0x2212, 0x00D7: return 84
        case 0x2010...0x206F: return 60
        default: return 100
        }
    }
}
