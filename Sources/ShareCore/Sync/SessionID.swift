/// A session with another device, numbered by whoever opens it; never used twice in a process.
package struct SessionID: Hashable, Comparable, Sendable {
    package let number: UInt64

    package init(_ number: UInt64) { self.number = number }

    package static func < (a: SessionID, b: SessionID) -> Bool { a.number < b.number }
}
