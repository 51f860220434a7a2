/// The end of a branch of a log: a batch's number and its id. A number alone names nothing.
package struct LogHead: Hashable, Comparable, Sendable {
    package let number: UInt64
    package let batch: BatchID

    package init(number: UInt64, batch: BatchID) {
        self.number = number
        self.batch = batch
    }

    package static func < (a: LogHead, b: LogHead) -> Bool {
        (a.number, a.batch) < (b.number, b.batch)
    }
}
