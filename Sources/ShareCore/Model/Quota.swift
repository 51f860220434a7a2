/// How much each member but the owners may write into a room: operations and bytes, in all and in
/// a day (docs/protocol.md, "Quota"). A setting of the room, so every receiver judges alike.
package struct Quota: Hashable, Sendable {
    package var operations: UInt64?
    package var operationsADay: UInt64?
    package var bytes: UInt64?
    package var bytesADay: UInt64?

    package init(
        operations: UInt64? = nil, operationsADay: UInt64? = nil, bytes: UInt64? = nil,
        bytesADay: UInt64? = nil
    ) {
        self.operations = operations
        self.operationsADay = operationsADay
        self.bytes = bytes
        self.bytesADay = bytesADay
    }

    /// The greatest limit.
    package static let greatest: UInt64 = 1_000_000_000_000_000

    /// The limits in the order of their text, each with what stands behind its number.
    private static var parts: [(suffix: String, limit: WritableKeyPath<Quota, UInt64?>)] {
        [
            ("", \.operations), ("/day", \.operationsADay), ("B", \.bytes),
            ("B/day", \.bytesADay),
        ]
    }

    /// Reads the value of the setting, which has one form only; nil for any other.
    package init?(text: String) {
        self.init()
        var left = Self.parts[...]
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            let digits = word.utf8.prefix { (0x30...0x39).contains($0) }
            let suffix = word.utf8.dropFirst(digits.count)
            guard let part = left.firstIndex(where: { suffix.elementsEqual($0.suffix.utf8) }),
                let number = UInt64(Substring(digits)), (1...Self.greatest).contains(number),
                digits.first != 0x30
            else { return nil }
            self[keyPath: left[part].limit] = number
            left = left[(part + 1)...]
        }
    }

    /// The value of the setting; empty where nothing is limited.
    package var text: String {
        Self.parts.compactMap { part in
            self[keyPath: part.limit].map { "\($0)\(part.suffix)" }
        }.joined(separator: " ")
    }

    /// Whether a log that comes to so much with its last batch may have it.
    package func allows(_ usage: LogUsage) -> Bool {
        usage.operations <= operations ?? .max && usage.bytes <= bytes ?? .max
            && usage.operationsOfDay <= operationsADay ?? .max
            && usage.bytesOfDay <= bytesADay ?? .max
    }
}

/// How much the batches of a log come to, up to one of them along its own branch.
package struct LogUsage: Hashable, Sendable {
    package private(set) var operations: UInt64 = 0
    package private(set) var bytes: UInt64 = 0
    /// The day of the last batch by its author's wall clock, counted from 1970, UTC.
    package private(set) var day: UInt64 = 0
    /// Of the last batch and those right before it with the same day.
    package private(set) var operationsOfDay: UInt64 = 0
    package private(set) var bytesOfDay: UInt64 = 0

    package init() {}

    private static let millisecondsADay: UInt64 = 86_400_000

    /// The same with the next batch.
    package func adding(operations: UInt64, bytes: UInt64, wall: WallTime) -> LogUsage {
        var sum = self
        let day = wall.milliseconds / Self.millisecondsADay
        if day != sum.day { (sum.operationsOfDay, sum.bytesOfDay) = (0, 0) }
        sum.day = day
        sum.operations += operations
        sum.bytes += bytes
        sum.operationsOfDay += operations
        sum.bytesOfDay += bytes
        return sum
    }
}
