/// A batch's body, decoded (docs/protocol.md, "Body").
package struct Body: Sendable {
    package enum Block: Sendable {
        case records(RecordsBlock)
        case control(ControlBlock)
        /// A kind that this release does not know: an odd one may be ignored, an even one means
        /// that an update is needed.
        case unknown(kind: UInt64, firstIndex: Int, count: Int)
        /// A kind that belongs to the other kind of log: refused.
        case misplaced(kind: UInt64, firstIndex: Int, count: Int)
    }

    package let blocks: [Block]
    /// All operations, known or not.
    package let operationCount: Int

    package init(blocks: [Block], operationCount: Int) {
        self.blocks = blocks
        self.operationCount = operationCount
    }
}
