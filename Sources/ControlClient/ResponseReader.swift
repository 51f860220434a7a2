internal import ShareControl

/// Reads one HTTP/1.1 response as its bytes arrive (RFC 9112), strictly: the head, then a body of
/// known length, in chunks, or up to the end of the connection.
struct ResponseReader {
    /// A longer head, and any longer line between chunks, is refused.
    private static let longestHead = 64 << 10

    private enum Part: Equatable {
        case statusLine, fields
        case length(Int), untilClose
        case chunkSize, chunk(Int), chunkEnd, trailers
        case done
    }

    private(set) var status = 0
    /// Names in lower case.
    private(set) var fields: [(name: String, value: String)] = []
    /// Whether the server takes another request on this connection.
    private(set) var isPersistent = true
    private var part = Part.statusLine
    private var line: [UInt8] = []
    private var headBytes = 0

    var isDone: Bool { part == .done }
    /// Whether all of the head has come.
    var hasHead: Bool { part != .statusLine && part != .fields }
    var isSuccess: Bool { (200..<300).contains(status) }

    /// All values of a header field.
    func values(of name: String) -> [String] {
        let name = name.lowercased()
        return fields.filter { $0.name == name }.map(\.value)
    }

    /// Takes the next bytes and hands over those of the body, and whether it is that of a success,
    /// while `body` returns true.
    ///
    /// - Returns: whether `body` always did.
    /// - Throws: `Problem` of `notUnderstood`, or what `body` throws.
    mutating func read(
        _ bytes: UnsafeRawBufferPointer,
        body: (UnsafeRawBufferPointer, _ isSuccess: Bool) throws(Problem) -> Bool
    ) throws(Problem) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            switch part {
            case .length(let left), .chunk(let left):
                let taken = rest.prefix(left)
                rest = rest.dropFirst(taken.count)
                let more = left - taken.count
                if case .chunk = part {
                    part = more == 0 ? .chunkEnd : .chunk(more)
                } else {
                    part = more == 0 ? .done : .length(more)
                }
                guard try body(UnsafeRawBufferPointer(rebasing: taken), isSuccess) else {
                    return false
                }
            case .untilClose:
                guard try body(UnsafeRawBufferPointer(rebasing: rest), isSuccess) else {
                    return false
                }
                return true
            case .done: throw Self.malformed("more follows after the end of the answer")
            case .statusLine, .fields, .chunkSize, .chunkEnd, .trailers:
                if try takeLine(&rest) { try endLine() }
            }
        }
        if part == .statusLine, !"HTTP/1.".utf8.starts(with: line.prefix(7)) {
            throw Self.malformed("it is not HTTP")
        }
        return true
    }

    /// Takes the end of the connection into account.
    ///
    /// - Returns: whether the answer is complete.
    mutating func end() -> Bool {
        if part == .untilClose { part = .done }
        isPersistent = false
        return isDone
    }

    /// Moves bytes up to the end of a line; returns whether it has come.
    private mutating func takeLine(_ rest: inout Slice<UnsafeRawBufferPointer>) throws(Problem)
        -> Bool
    {
        let end = rest.firstIndex(of: UInt8(ascii: "\n"))
        let taken = rest[..<(end ?? rest.endIndex)]
        headBytes += taken.count
        guard headBytes <= Self.longestHead else { throw Self.malformed("its head is too long") }
        line += taken
        guard let end else {
            rest = rest[rest.endIndex...]
            return false
        }
        rest = rest[(end + 1)...]
        guard line.popLast() == UInt8(ascii: "\r") else {
            throw Self.malformed("a line ends without a carriage return")
        }
        return true
    }

    private mutating func endLine() throws(Problem) {
        let text = String(decoding: line, as: UTF8.self)
        line.removeAll(keepingCapacity: true)
        switch part {
        case .statusLine:
            try readStatus(text)
            part = .fields
        case .fields where text.isEmpty:
            headBytes = 0
            // A provisional answer (100 Continue) stands before the one that counts.
            part = (100..<200).contains(status) ? .statusLine : try framing()
        case .fields:
            guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else {
                throw Self.malformed("a header field has no name")
            }
            let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            fields.append((text[..<colon].lowercased(), String(value)))
        case .chunkSize:
            headBytes = 0
            let digits = text.prefix { $0 != ";" && $0 != " " }
            guard (1...15).contains(digits.count), let size = Int(digits, radix: 16), size >= 0
            else { throw Self.malformed("a chunk has no size") }
            part = size == 0 ? .trailers : .chunk(size)
        case .chunkEnd:
            guard text.isEmpty else { throw Self.malformed("a chunk is longer than its size") }
            part = .chunkSize
        case .trailers: if text.isEmpty { part = .done }
        case .length, .untilClose, .chunk, .done: break
        }
    }

    private mutating func readStatus(_ text: String) throws(Problem) {
        let words = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count >= 2, words[0] == "HTTP/1.1" || words[0] == "HTTP/1.0",
            words[1].utf8.count == 3, let status = Int(words[1]), status >= 100
        else { throw Self.malformed("it is not HTTP") }
        self.status = status
        fields = []
        isPersistent = words[0] == "HTTP/1.1"
    }

    /// How the body is to be read (RFC 9112 §6.3).
    private mutating func framing() throws(Problem) -> Part {
        if values(of: "connection").contains(where: { $0.lowercased().contains("close") }) {
            isPersistent = false
        }
        let codings = values(of: "transfer-encoding")
        let lengths = values(of: "content-length")
        if status == 204 || status == 304 { return .done }
        if !codings.isEmpty {
            guard codings.count == 1, codings[0].lowercased() == "chunked", lengths.isEmpty else {
                throw Self.malformed("its length is not clear")
            }
            return .chunkSize
        }
        guard let first = lengths.first else {
            isPersistent = false
            return .untilClose
        }
        guard lengths.count == 1, first.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let length = Int(first)
        else { throw Self.malformed("its length is not clear") }
        return length == 0 ? .done : .length(length)
    }

    private static func malformed(_ reason: String) -> Problem {
        Problem(
            .notUnderstood, "the daemon's answer cannot be read: \(reason)",
            hint: "See whether another program listens on its socket.")
    }
}
