internal import JSON
internal import ShareControl
import Glibc

/// Standard output, or a file, written in larger pieces.
final class Output {
    private static let bufferBytes = 64 << 10

    private var descriptor: Int32
    /// Whether what is longer than the screen goes through a pager.
    private var pages = false
    private var pager: Pager?
    private var buffer: [UInt8] = []
    private var failure: Int32?
    /// Whether people look at it.
    let isTerminal: Bool
    private(set) var written = 0

    init(descriptor: Int32) {
        self.descriptor = descriptor
        isTerminal = isatty(descriptor) == 1
        buffer.reserveCapacity(Self.bufferBytes)
    }

    /// Whether nobody reads any more, or writing failed: then there is no point in going on.
    var isClosed: Bool { failure != nil }

    /// Lets a pager show the rest of this output if it is longer than the terminal is high.
    func pageIfLong() {
        pages = descriptor == STDOUT_FILENO && isatty(STDOUT_FILENO) == 1
    }

    func write(_ bytes: UnsafeRawBufferPointer) {
        buffer.append(contentsOf: bytes)
        if buffer.count >= Self.bufferBytes { flush() }
    }

    /// Writes a line as it is: for text of our own, or text made `Terminal.plain`.
    func line(_ text: String) {
        buffer.append(contentsOf: text.utf8)
        buffer.append(UInt8(ascii: "\n"))
        if buffer.count >= Self.bufferBytes { flush() }
    }

    /// Writes prose, made harmless, in lines that fit: the first after `indent` columns or after
    /// `label`, which is as wide, the others below it.
    ///
    /// - Parameters:
    ///   - labelStyle: how the label stands out.
    ///   - style: how the prose does.
    func text(
        _ text: String, indent: Int = 0, label: String? = nil, labelled labelStyle: Style? = nil,
        as style: Style? = nil
    ) {
        let margin = String(repeating: " ", count: indent)
        let first =
            label.map { Terminal.pad($0, indent) }.map { labelStyle?($0) ?? $0 } ?? margin
        let lines = Terminal.wrap(Terminal.plain(text), Terminal.columns - indent)
        for (index, line) in lines.enumerated() {
            self.line((index == 0 ? first : margin) + (style?(line) ?? line))
        }
    }

    func line(_ value: JSONValue) {
        line(value.text)
    }

    func line(_ bytes: [UInt8]) {
        buffer.append(contentsOf: bytes)
        buffer.append(UInt8(ascii: "\n"))
        if buffer.count >= Self.bufferBytes { flush() }
    }

    /// Writes what has been gathered, so that a reader sees it now.
    func flush() {
        defer { buffer.removeAll(keepingCapacity: true) }
        guard failure == nil else { return }
        // Whatever way text of others came here.
        if isTerminal { buffer = Terminal.harmless(buffer) }
        if pages {
            pages = false
            let lines = buffer.reduce(0) { $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0) }
            if lines >= Terminal.rows, let pager = Pager() {
                self.pager = pager
                descriptor = pager.descriptor
            }
        }
        buffer.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                let count = Glibc.write(descriptor, part.baseAddress, part.count)
                if count > 0 {
                    rest = rest.dropFirst(count)
                    written += count
                } else if errno != EINTR {
                    failure = errno
                    return
                }
            }
        }
    }

    /// Writes the rest.
    ///
    /// - Throws: `Problem` with `fileUnwritable`; a reader that has gone is no problem.
    func finish() throws(Problem) {
        flush()
        pager?.wait()
        pager = nil
        guard let failure, failure != EPIPE else { return }
        throw Problem(
            .fileUnwritable, "cannot write the answer: \(String(cString: strerror(failure)))",
            hint: failure == ENOSPC ? "Make room on the disk, then try again." : nil)
    }
}
