package import ShareCrypto

/// One device's log of one kind, in a room that the context names.
package struct LogName: Hashable, Comparable, Sendable {
    package let author: DeviceKey
    package let kind: LogKind

    package init(author: DeviceKey, kind: LogKind) {
        self.author = author
        self.kind = kind
    }

    /// Control logs come first, as they travel first.
    package static func < (a: LogName, b: LogName) -> Bool {
        (a.kind, a.author) < (b.kind, b.author)
    }
}
