internal import ControlClient
internal import JSON
internal import ShareControl

/// Writes a streamed list of records as a table: the first rows settle which columns it has and
/// how wide they are.
final class RecordRows {
    /// So many rows are held back to find the widths.
    private static let sample = 500

    private var count = 0
    private var kept = 0
    private var splitter = JSONArraySplitter()
    private var head: ListHead?
    private let columns: [String]?
    private let asked: [String]
    private let isWide: Bool
    private let isInvalid: Bool
    private let width: Int?
    private var held: [JSONObject] = []
    /// The ids of the first entries that were written.
    private(set) var ids: [String] = []
    private static let idsKept = 100
    private var layout: ListLayout?
    private let output: Output

    /// - Parameters:
    ///   - columns: the fields that somebody asks for; nil for those that fit.
    ///   - asked: fields that conditions name.
    ///   - isInvalid: whether it says how entries break their form.
    ///   - width: of the terminal; nil where there is none.
    init(
        columns: [String]?, asked: [String] = [], isWide: Bool, isInvalid: Bool = false,
        width: Int?,
        _ output: Output
    ) {
        self.columns = columns
        self.asked = asked
        self.isWide = isWide
        self.isInvalid = isInvalid
        self.width = width
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
            if head == nil {
                head = try ControlClient.understood(element)
            } else {
                try add(ControlClient.understood(element))
            }
        }
    }

    /// Writes a list that is here already.
    func show(_ head: ListHead, _ records: [JSONObject]) throws(Problem) {
        self.head = head
        for record in records { try add(record) }
        try finish()
    }

    /// Writes what is held back still, and what there is to say of the whole.
    func finish() throws(Problem) {
        guard let head else { return }
        if layout == nil, !held.isEmpty { try layOut(head) }
        if count == 0 {
            output.line(
                head.total == 0
                    ? "no entries"
                    : "none of \(Text.entries(head.total))"
                        + (isInvalid ? " breaks its form" : ""))
            head.earlier.map(Text.earlier).forEach { output.line(Terminal.plain($0)) }
            if let alike = head.alike { output.text(Terminal.plain(Text.alike(alike))) }
        } else if let layout, let width {
            for line in layout.footer(count, kept: kept, of: head, width: width) {
                output.line(Style.dim(line))
            }
        }
    }

    /// What is missing in the list for lying under a field of an earlier version.
    var missing: [String] {
        let missed = count == 0 ? [] : head?.earlier ?? []
        return missed.map { columns == nil ? Text.earlier($0) : Text.earlierField($0) }
    }

    /// How many entries were deleted in the time that a list is of.
    var deleted: Int { head?.deleted ?? 0 }

    private func add(_ record: JSONObject) throws(Problem) {
        count += 1
        kept += ListLayout.isKept(record) ? 1 : 0
        if ids.count < Self.idsKept, let id = record["_id"]?.string { ids.append(id) }
        guard let layout else {
            held.append(record)
            if held.count >= Self.sample, let head { try layOut(head) }
            return
        }
        output.line(layout.line(record))
    }

    private func layOut(_ head: ListHead) throws(Problem) {
        let layout = try ListLayout(
            head, held, columns: columns, asked: asked, isWide: isWide, isInvalid: isInvalid,
            width: width)
        output.line(Style.bold(layout.header))
        for record in held { output.line(layout.line(record)) }
        held = []
        self.layout = layout
    }
}
