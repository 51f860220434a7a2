/// Operations of one kind in a control log.
package struct ControlBlock: Sendable {
    package struct Entry: Sendable, Hashable {
        package let clock: Timestamp
        package let operation: ControlOperation

        package init(clock: Timestamp, operation: ControlOperation) {
            self.clock = clock
            self.operation = operation
        }
    }

    /// The place of the first entry among the batch's operations.
    package let firstIndex: Int
    package let entries: [Entry]

    package init(firstIndex: Int, entries: [Entry]) {
        self.firstIndex = firstIndex
        self.entries = entries
    }
}
