import ShareCrypto

/// The operations of a control batch without what they say: where each stands, and of which sort it
/// is. The verdict on an operation depends on no more, where authority need not look into it.
package struct ControlOutline: Hashable, Sendable {
    package struct Item: Hashable, Sendable {
        /// Below `Limits.operationsPerBatch`, so that a flood of them costs little.
        private let position: UInt16
        package let sort: OperationSort
        /// Whether it removes the author of its batch.
        package let isLeave: Bool
        /// False for a form or list that no device can use.
        package let isSound: Bool

        init(_ operation: ControlOperation, at index: Int, by author: DeviceKey) {
            position = UInt16(index)
            sort = OperationSort(operation)
            isLeave = operation.isLeave(of: author)
            isSound = operation.isSound
        }

        /// The operation's place in its batch.
        package var index: Int { Int(position) }
    }

    /// In the order of their places; none for a malformed body.
    package let items: [Item]

    init(_ entries: [ControlBatch.Entry], by author: DeviceKey) {
        items = entries.map { Item($0.operation, at: $0.index, by: author) }
    }

    /// Which of the items stands at a place of the batch.
    ///
    /// - Complexity: O(log n).
    package func item(at index: Int) -> Int? {
        let place = items.end { $0.index < index }
        return place < items.count && items[place].index == index ? place : nil
    }

    /// Whether any operation is of such a sort.
    package func has(_ isMeant: (OperationSort) -> Bool) -> Bool {
        items.contains { isMeant($0.sort) }
    }
}

extension ControlOperation {
    /// Whether it removes the author of its batch.
    func isLeave(of author: DeviceKey) -> Bool {
        if case .removal(let removal) = self { removal.subject == author } else { false }
    }

    /// Whether devices can use the form or list that it defines.
    fileprivate var isSound: Bool {
        switch self {
        case .form(let form): form.isSound
        case .list(let list): list.isSound
        default: true
        }
    }
}
