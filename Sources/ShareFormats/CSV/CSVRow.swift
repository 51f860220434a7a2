/// A row of a CSV file: its cells without quotes, valid UTF-8.
package struct CSVRow: Sendable {
    /// The line where the row starts, from 1.
    package internal(set) var line = 1
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
