import ControlClient
import ShareControl

/// Feeds a splitter in pieces and keeps what it hands over.
struct LineSplitterProbe {
    private var splitter = LineSplitter()
    private(set) var seen: [String] = []

    mutating func feed(_ text: [UInt8], _ size: Int) throws(Problem) {
        var rest = text[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(size))
            var lines: [[UInt8]] = []
            let outcome = piece.withUnsafeBytes { bytes in
                Result { () throws(Problem) in
                    try splitter.append(bytes) { (line) throws(Problem) in
                        lines.append(line)
                        return true
                    }
                }
            }
            _ = try outcome.get()
            seen += lines.map { String(decoding: $0, as: UTF8.self) }
            rest = rest.dropFirst(size)
        }
    }
}
