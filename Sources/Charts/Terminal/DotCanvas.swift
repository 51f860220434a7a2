/// Dots on a terminal: eight to a column and line in braille, one in plain ASCII.
struct DotCanvas {
    let columns: Int
    let rows: Int
    let isASCII: Bool
    private var bits: [UInt8]
    private var signs: [Character?]
    private var colours: [UInt8]

    init(columns: Int, rows: Int, isASCII: Bool) {
        self.columns = columns
        self.rows = rows
        self.isASCII = isASCII
        bits = Array(repeating: 0, count: columns * rows)
        signs = Array(repeating: nil, count: columns * rows)
        colours = Array(repeating: 0, count: columns * rows)
    }

    /// Dots in a row, and rows of them in all.
    var width: Int { isASCII ? columns : columns * 2 }
    var height: Int { isASCII ? rows : rows * 4 }

    /// Sets a dot, counted from the top left; outside it sets nothing.
    mutating func dot(_ x: Int, _ y: Int, colour: Int, ascii: Character = "*") {
        guard x >= 0, y >= 0, x < width, y < height else { return }
        let index = isASCII ? y * columns + x : y / 4 * columns + x / 2
        colours[index] = UInt8(colour)
        if isASCII {
            signs[index] = ascii
        } else {
            // The eighth dot came late to braille: the lowest row has the two highest bits.
            let bit = y % 4 == 3 ? 6 + x % 2 : x % 2 * 3 + y % 4
            bits[index] |= 1 << UInt8(bit)
        }
    }

    mutating func line(
        from start: (x: Int, y: Int), to end: (x: Int, y: Int), colour: Int, ascii: Character = "*"
    ) {
        let steps = max(abs(end.x - start.x), abs(end.y - start.y), 1)
        for step in 0...steps {
            let share = Double(step) / Double(steps)
            dot(
                start.x + Int((Double(end.x - start.x) * share).rounded()),
                start.y + Int((Double(end.y - start.y) * share).rounded()), colour: colour,
                ascii: ascii)
        }
    }

    /// Writes a text over the dots, each sign of it one column wide.
    mutating func write(_ text: String, column: Int, row: Int, colour: Int) {
        guard row >= 0, row < rows else { return }
        for (offset, sign) in text.enumerated() where (0..<columns).contains(column + offset) {
            signs[row * columns + column + offset] = sign
            colours[row * columns + column + offset] = UInt8(colour)
        }
    }

    /// The signs of a row, each with its colour; 0 where it has none.
    func row(_ row: Int) -> [(sign: Character, colour: Int)] {
        (row * columns..<(row + 1) * columns).map { index in
            if let sign = signs[index] { return (sign, Int(colours[index])) }
            guard bits[index] > 0, let braille = Unicode.Scalar(0x2800 + UInt32(bits[index])) else {
                return (" ", 0)
            }
            return (Character(braille), Int(colours[index]))
        }
    }
}

extension TerminalPage {
    /// A row of a canvas as text.
    func text(_ row: [(sign: Character, colour: Int)]) -> String {
        guard options.hasColours else { return String(row.map(\.sign)) }
        var text = ""
        var run = ""
        var colour = 0
        for cell in row + [(" ", -1)] {
            if cell.colour != colour {
                text += colour > 0 ? coloured(run, colour) : run
                (run, colour) = ("", cell.colour)
            }
            run.append(cell.sign)
        }
        return text
    }
}
