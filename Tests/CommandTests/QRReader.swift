/// Reads a QR symbol that is written as text, as much of ISO/IEC 18004 as one without damage
/// needs: versions 1 to 5 at level L, bytes. It shares nothing with who made it.
struct QRReader {
    struct Fault: Error { let what: String }

    let size: Int
    /// Row by row, without the quiet zone; true is dark.
    let modules: [[Bool]]

    /// Data and error correction codewords of versions 1 to 5 at level L.
    private static let codewords = [(19, 7), (34, 10), (55, 15), (80, 20), (108, 26)]
    private static let quietZone = 4

    /// - Parameter lines: half blocks, or two `#` or spaces for each module.
    init(lines: [String]) throws {
        var rows: [[Bool]] = []
        for line in lines {
            if line.allSatisfy({ "# ".contains($0) }) && lines.contains(where: { $0.contains("#") })
            {
                let marks = Array(line)
                guard marks.count.isMultiple(of: 2) else { throw Fault(what: "an odd line") }
                rows.append(
                    try stride(from: 0, to: marks.count, by: 2).map {
                        guard marks[$0] == marks[$0 + 1] else { throw Fault(what: "half a module") }
                        return marks[$0] == "#"
                    })
            } else {
                rows.append(line.map { "\u{2588}\u{2580}".contains($0) })
                rows.append(line.map { "\u{2588}\u{2584}".contains($0) })
            }
        }
        let width = rows.first?.count ?? 0
        // Half blocks may add a light line at the end.
        if rows.count == width + 1, rows.last?.contains(true) == false { rows.removeLast() }
        guard rows.count == width, rows.allSatisfy({ $0.count == width }) else {
            throw Fault(what: "no square: \(rows.count) lines of \(width)")
        }
        size = width - 2 * Self.quietZone
        let inner = Self.quietZone..<Self.quietZone + max(0, size)
        for (y, row) in rows.enumerated() {
            for (x, isDark) in row.enumerated() where isDark {
                guard inner.contains(y), inner.contains(x) else {
                    throw Fault(what: "the quiet zone is not quiet")
                }
            }
        }
        modules = rows[inner].map { Array($0[inner]) }
    }

    /// The text that it holds.
    func text() throws -> String {
        guard size >= 21, (size - 17).isMultiple(of: 4), (size - 17) / 4 <= 5 else {
            throw Fault(what: "a version that is not read here")
        }
        let version = (size - 17) / 4
        try checkFinders()
        let mask = try mask()
        let (data, correction) = Self.codewords[version - 1]
        let words = read(mask, version, data + correction)
        guard Self.isWhole(words, correction) else { throw Fault(what: "wrong error correction") }
        var bits = words.prefix(data).flatMap { word in (0..<8).map { word >> (7 - $0) & 1 } }[...]
        func take(_ count: Int) -> Int {
            defer { bits = bits.dropFirst(count) }
            return bits.prefix(count).reduce(0) { $0 << 1 | Int($1) }
        }
        guard take(4) == 4 else { throw Fault(what: "not in bytes") }
        let count = take(8)
        let bytes = (0..<count).map { _ in UInt8(take(8)) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Fault(what: "not UTF-8")
        }
        return text
    }

    private func checkFinders() throws {
        for (top, left) in [(0, 0), (0, size - 7), (size - 7, 0)] {
            for y in 0..<7 {
                for x in 0..<7 {
                    let ring = max(abs(y - 3), abs(x - 3))
                    guard modules[top + y][left + x] == (ring != 2) else {
                        throw Fault(what: "no finder pattern at \(top), \(left)")
                    }
                }
            }
        }
        for place in 8..<size - 8 {
            let isDark = place.isMultiple(of: 2)
            guard modules[6][place] == isDark, modules[place][6] == isDark else {
                throw Fault(what: "no timing pattern")
            }
        }
    }

    /// The mask that the format information names; its level must be L.
    private func mask() throws -> Int {
        let places =
            (0...5).map { (8, $0) } + [(8, 7), (8, 8), (7, 8)] + (0...5).reversed().map { ($0, 8) }
        let format = places.reduce(0) { $0 << 1 | (modules[$1.0][$1.1] ? 1 : 0) } ^ 0x5412
        var rest = format
        for shift in (0...4).reversed() where rest >> (shift + 10) & 1 == 1 {
            rest ^= 0x537 << shift
        }
        guard rest == 0 else { throw Fault(what: "broken format information") }
        guard format >> 13 == 1 else { throw Fault(what: "not at level L") }
        return format >> 10 & 7
    }

    private func isFunction(_ y: Int, _ x: Int, _ version: Int) -> Bool {
        if y == 6 || x == 6 { return true }
        if y < 9, x < 9 || x >= size - 8 { return true }
        if y >= size - 8, x < 9 { return true }
        let alignment = 4 * version + 10
        return version > 1 && abs(y - alignment) <= 2 && abs(x - alignment) <= 2
    }

    private static func isFlipped(_ mask: Int, _ y: Int, _ x: Int) -> Bool {
        switch mask {
        case 0: (y + x) % 2 == 0
        case 1: y % 2 == 0
        case 2: x % 3 == 0
        case 3: (y + x) % 3 == 0
        case 4: (y / 2 + x / 3) % 2 == 0
        case 5: y * x % 2 + y * x % 3 == 0
        case 6: (y * x % 2 + y * x % 3) % 2 == 0
        default: ((y + x) % 2 + y * x % 3) % 2 == 0
        }
    }

    /// The codewords, from the lower right corner up and down in columns of two.
    private func read(_ mask: Int, _ version: Int, _ count: Int) -> [UInt8] {
        var bits: [UInt8] = []
        var right = size - 1
        var goesUp = true
        while right > 0 {
            if right == 6 { right -= 1 }
            for step in 0..<size {
                let y = goesUp ? size - 1 - step : step
                for x in [right, right - 1] where !isFunction(y, x, version) {
                    bits.append(modules[y][x] != Self.isFlipped(mask, y, x) ? 1 : 0)
                }
            }
            right -= 2
            goesUp.toggle()
        }
        return (0..<count).map { word in
            bits[word * 8..<word * 8 + 8].reduce(0) { $0 << 1 | $1 }
        }
    }

    /// Whether the Reed-Solomon syndromes are all zero: not a bit is wrong.
    private static func isWhole(_ words: [UInt8], _ correction: Int) -> Bool {
        func times(_ a: Int, _ b: Int) -> Int {
            var (a, b, product) = (a, b, 0)
            while b > 0 {
                if b & 1 == 1 { product ^= a }
                a <<= 1
                if a > 255 { a ^= 0x11D }
                b >>= 1
            }
            return product
        }
        var root = 1
        for _ in 0..<correction {
            guard words.reduce(0, { times($0, root) ^ Int($1) }) == 0 else { return false }
            root = times(root, 2)
        }
        return true
    }
}
