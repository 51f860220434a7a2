/// Some of a longer list, in an order that is the same on every device.
package struct RecordPage<Item: Sendable>: Sendable {
    package let items: [Item]
    /// Whether the list goes on after the last record of this page.
    package let hasMore: Bool
}
