internal import Glibc
internal import JSON
internal import ShareControl

/// Keeps back of a streamed answer what may say why it breaks off: what follows the last
/// `ControlLimits.problemMark`.
struct LastWords {
    private var held: [UInt8] = []

    /// The problem that an answer has broken off with; nil where it says none.
    var problem: Problem? {
        guard held.first == ControlLimits.problemMark else { return nil }
        return try? Problem(jsonText: Array(held.dropFirst()))
    }

    /// Takes the next bytes of a body and hands over those that are no such words.
    ///
    /// - Returns: what `receive` does; true where there is nothing to hand over.
    mutating func pass(
        _ bytes: UnsafeRawBufferPointer,
        _ receive: (UnsafeRawBufferPointer) throws(Problem) -> Bool
    ) throws(Problem) -> Bool {
        let mark = Int32(ControlLimits.problemMark)
        let hasMark = bytes.baseAddress.map { memchr($0, mark, bytes.count) != nil } ?? false
        if held.isEmpty, !hasMark { return try receive(bytes) }
        held.append(contentsOf: bytes)
        let start = held.lastIndex(of: ControlLimits.problemMark) ?? held.count
        return try release(
            held.count - start <= ControlLimits.problemBytes ? start : held.count, receive)
    }

    /// Hands over all that is kept back, as the answer has come to its end.
    mutating func end(
        _ receive: (UnsafeRawBufferPointer) throws(Problem) -> Bool
    ) throws(Problem) -> Bool {
        try release(held.count, receive)
    }

    private mutating func release(
        _ count: Int, _ receive: (UnsafeRawBufferPointer) throws(Problem) -> Bool
    ) throws(Problem) -> Bool {
        guard count > 0 else { return true }
        let result = held.withUnsafeBytes { buffer in
            Result { () throws(Problem) in
                try receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
        }
        held.removeFirst(count)
        return try result.get()
    }
}
