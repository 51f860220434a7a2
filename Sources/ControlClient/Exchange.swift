internal import ShareControl

/// One request and its answer on a connection. Both go at once: a daemon may tell how far it is,
/// or refuse, while the body is still being sent.
struct Exchange {
    private static let bufferBytes = 256 << 10
    /// A problem object or what stands in its place is kept up to this many bytes.
    private static let longestErrorBody = 1 << 20

    private(set) var response = ResponseReader()
    private(set) var errorBody: [UInt8] = []
    /// Whether the receiver had enough.
    private(set) var isStopped = false
    private var lastWords = LastWords()
    private let connection: SocketConnection
    /// The bytes to be sent next, from `sent` on.
    private var outgoing: [UInt8]
    private var sent = 0
    /// Where more of the body comes from; nil once all of it is in `outgoing`.
    private var source: ControlRequest.Body.Reading?
    /// Bytes of the body that are still to be read; nil where that is not known.
    private var bodyLeft: Int?
    /// Whether the daemon takes no more of the body.
    private var isRefused = false

    init(_ request: ControlRequest, on connection: SocketConnection) {
        self.connection = connection
        var head =
            "\(request.method) \(request.target) HTTP/1.1\r\nHost: shared\r\nAccept: */*\r\n"
        switch request.body {
        case .none:
            if request.method != "GET" { head += "Content-Length: 0\r\n" }
            outgoing = Array((head + "\r\n").utf8)
        case .json(let bytes):
            head += "Content-Type: application/json\r\nContent-Length: \(bytes.count)\r\n\r\n"
            outgoing = Array(head.utf8) + bytes
        case .stream(let mediaType, let length, let read):
            head += "Content-Type: \(mediaType)\r\n"
            head += length.map { "Content-Length: \($0)\r\n" } ?? "Transfer-Encoding: chunked\r\n"
            outgoing = Array((head + "\r\n").utf8)
            source = read
            bodyLeft = length
        }
    }

    /// Whether the connection can be used for another request: all was sent, and all has come.
    var leavesConnection: Bool {
        response.isDone && response.isPersistent && !isRefused && source == nil
            && sent == outgoing.count
    }

    /// Sends the request and hands over the answer's body as it comes, until `receive` returns
    /// false or the answer is complete.
    ///
    /// - Throws: what `receive` or reading the body throws; `Problem` of `connectionLost`,
    ///   `notUnderstood`, `timedOut`, `interrupted`.
    mutating func run(
        _ receive: (UnsafeRawBufferPointer) throws(Problem) -> Bool
    ) throws(Problem) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Self.bufferBytes, alignment: 1)
        defer { buffer.deallocate() }
        while !response.isDone, !isStopped {
            if sent == outgoing.count, source != nil, !isRefused { try fill() }
            let isSending = sent < outgoing.count && !isRefused
            let ready = try connection.wait(toSend: isSending)
            if ready.canReceive {
                switch connection.receive(into: buffer) {
                case .moved(let count):
                    try take(UnsafeRawBufferPointer(rebasing: buffer[..<count]), receive)
                case .ended:
                    guard response.end() else { throw lastWords.problem ?? Self.lost }
                }
            }
            if ready.canSend, isSending { sendMore() }
        }
        if !isStopped, try !lastWords.end(receive) { isStopped = true }
    }

    private mutating func take(
        _ bytes: UnsafeRawBufferPointer,
        _ receive: (UnsafeRawBufferPointer) throws(Problem) -> Bool
    ) throws(Problem) {
        var response = response
        var errorBody = errorBody
        var lastWords = lastWords
        defer {
            self.response = response
            self.errorBody = errorBody
            self.lastWords = lastWords
        }
        let isWanted = try response.read(bytes) { body, isSuccess throws(Problem) in
            if isSuccess { return try lastWords.pass(body, receive) }
            errorBody.append(contentsOf: body)
            return errorBody.count <= Self.longestErrorBody
        }
        if !isWanted { isStopped = true }
        // The rest of a body that is refused need not be sent.
        if response.hasHead, response.status >= 400 { isRefused = true }
    }

    private mutating func sendMore() {
        let outcome = outgoing.withUnsafeBytes {
            connection.send(UnsafeRawBufferPointer(rebasing: $0[sent...]))
        }
        switch outcome {
        case .moved(let count): sent += count
        // Why it takes no more may be in its answer, which can still be read.
        case .ended: isRefused = true
        }
    }

    /// Reads the next piece of the body.
    private mutating func fill() throws(Problem) {
        guard let read = source else { return }
        let room = min(Self.bufferBytes, bodyLeft ?? Self.bufferBytes)
        var piece: [UInt8] = []
        if room > 0 {
            piece = [UInt8](repeating: 0, count: room)
            let result = piece.withUnsafeMutableBytes { buffer in
                Result { () throws(Problem) in try read(buffer) }
            }
            piece.removeLast(room - (try result.get()))
        }
        sent = 0
        if let left = bodyLeft {
            guard left == 0 || !piece.isEmpty else {
                throw Problem(
                    .fileUnreadable, "the file became shorter while it was sent",
                    hint: "Try again once nobody writes to it.")
            }
            bodyLeft = left - piece.count
            outgoing = piece
            if left == piece.count { source = nil }
        } else {
            outgoing = Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece
            outgoing += Array("\r\n".utf8)
            if piece.isEmpty { source = nil }
        }
    }

    private static let lost = Problem(
        .connectionLost, "the daemon closed the connection before its answer was complete",
        hint: "See whether it runs and what was done: `shared status`.")
}
