/// The body of a request as it arrives. It can be read once, by one task.
package struct HTTPUpload: AsyncSequence, Sendable {
    package typealias Element = [UInt8]

    private let pipe: BytePipe

    /// The body that `pipe` delivers.
    init(_ pipe: BytePipe) {
        self.pipe = pipe
    }

    /// A body that is there already.
    package init(_ bytes: [UInt8]) {
        pipe = BytePipe(capacity: Swift.max(bytes.count, 1))
        pipe.push(bytes[...])
        pipe.finish()
    }

    package func makeAsyncIterator() -> Iterator {
        Iterator(pipe: pipe)
    }

    /// Reads one piece after the other.
    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let pipe: BytePipe

        /// The next piece, never empty; nil after the last.
        ///
        /// - Throws: `HTTPStreamError` when the rest will not arrive.
        package mutating func next() async throws -> [UInt8]? {
            try await pipe.read()
        }
    }
}
