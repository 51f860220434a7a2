internal import ControlClient
internal import JSON
internal import ShareControl

/// Writes a streamed list of records as a table: the first rows settle how wide the columns are.
final class RecordRows {
    /// So many rows are held back to find the widths.
    private static let sample = 500

    private(set) var count = 0
    private var splitter = JSONArraySplitter()
    private var columns: [String]
    private var held: [JSONObject] = []
    private var layout: Table.Layout?
    private let output: Output

    init(_ columns: [String], _ output: Output) {
        self.columns = columns
        self.output = output
    }

    func append(_ bytes: UnsafeRawBufferPointer) throws(Problem) {
        var elements: [[UInt8]] = []
        do {
            try splitter.append(bytes) { elements.append($0) }
        } catch {
            throw Problem(.notUnderstood, "the daemon's answer is not understood: \(error)")
        }
        for element in elements {
            try add(ControlClient.understood(element))
        }
    }

    /// Writes what is held back still.
    func finish() {
        if layout == nil, !held.isEmpty { settle() }
    }

    private func add(_ record: JSONObject) {
        count += 1
        guard let layout else {
            held.append(record)
            if held.count >= Self.sample { settle() }
            return
        }
        output.line(layout.line(cells(record)))
    }

    private func settle() {
        // Fields that the form no longer has may still have values.
        for record in held {
            for member in record.members
            where !member.key.hasPrefix("_") && !columns.contains(member.key) {
                columns.append(member.key)
            }
        }
        var table = Table(["ID"] + columns.map(Terminal.plain))
        for record in held { table.add(cells(record)) }
        var layout = table.layout
        // An id may look like a number.
        layout.isNumeric[0] = false
        output.line(layout.line(table.header))
        for row in table.rows { output.line(layout.line(row)) }
        held = []
        self.layout = layout
    }

    private func cells(_ record: JSONObject) -> [String] {
        [Text.shortRecord(record["_id"]?.string ?? "")]
            + columns.map { Table.prose(Text.value(record[$0])) }
    }
}
