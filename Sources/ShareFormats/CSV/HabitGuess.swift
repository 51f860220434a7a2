/// How a file writes its dates and numbers, from the shape of those cells alone that forms write
/// otherwise: what a form allows plays no part. A cell that is no date, or no number, in any way is
/// wrong however the others are read, and says nothing of them.
package struct HabitGuess: Hashable, Sendable {
    /// A day that is another one in each order.
    package struct OpenDay: Hashable, Sendable {
        package let line: Int
        package let column: String
        /// As it stands in the file.
        package let cell: String
        /// As forms write it, with the day, or the month, first.
        package let dayFirst: String
        package let monthFirst: String
    }

    /// The orders in which each of these days can be read; nil where the file has none.
    package private(set) var dates: [CSVHabits.DateOrder]?
    /// The first day that both orders read, each as another one.
    private var firstOpen: OpenDay?
    /// Whether a comma as decimal sign reads each of the numbers that forms write otherwise; nil where
    /// the file has none.
    private var readsComma: Bool?
    /// Whether one of them can be nothing else: `1,234` may be two numbers.
    private var hasSureComma = false
    /// Whether the file has numbers with a point as decimal sign.
    private(set) var hasDecimalPoint = false
    /// Whether the file has decimal commas; nil where all numbers are as forms write them. What may be
    /// another number is not guessed.
    package var hasDecimalComma: Bool? {
        readsComma.map { $0 && hasSureComma && !hasDecimalPoint }
    }

    /// Whether the file has numbers that are none with a decimal comma, or others: what is guessed of
    /// tables that belong together is guessed of all of them.
    package var excludesDecimalComma: Bool { hasDecimalPoint || readsComma == false }

    package init() {}

    static let orders: [CSVHabits.DateOrder] = [.dmy, .mdy]

    /// What nobody can tell, where both orders suit all of the file.
    package var openDay: OpenDay? { dates?.count == 2 ? firstOpen : nil }

    /// Takes a day that forms write otherwise.
    ///
    /// - Parameter read: what it is in each of `orders`; nil where it is none.
    mutating func take(day cell: String, as read: [String?], _ line: Int, _ column: String) {
        guard read.contains(where: { $0 != nil }) else { return }
        dates = zip(Self.orders, read).filter { order, day in
            day != nil && dates?.contains(order) ?? true
        }.map(\.0)
        if firstOpen == nil, let first = read[0], let second = read[1], first != second {
            firstOpen = OpenDay(
                line: line, column: column, cell: cell, dayFirst: first, monthFirst: second)
        }
    }

    /// Takes a number that forms write otherwise.
    mutating func take(number cell: String, withComma isRead: Bool) {
        guard isRead || Self.hasPoint(cell) else { return }
        readsComma = isRead && readsComma ?? true
        if isRead, !Self.isOpen(cell) { hasSureComma = true }
    }

    /// Takes a number with a point as decimal sign.
    mutating func takeDecimalPoint() { hasDecimalPoint = true }

    /// Whether a text is a number with a point as decimal sign, or commas between thousands:
    /// `1,234.5`.
    private static func hasPoint(_ cell: String) -> Bool {
        let parts = cell.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let sign = parts[0].hasPrefix("-") || parts[0].hasPrefix("+")
        let groups = parts[0].dropFirst(sign ? 1 : 0).split(
            separator: ",", omittingEmptySubsequences: false)
        let digits = groups + parts.dropFirst()
        return groups.count + parts.count > 2
            && digits.allSatisfy { part in
                !part.isEmpty && part.utf8.allSatisfy { (48...57).contains($0) }
            } && groups.dropFirst().allSatisfy { $0.utf8.count == 3 }
    }

    /// Whether a number is one with a decimal comma, and another one with a comma, or a point, that
    /// separates thousands: `1,234`, `1.234`.
    static func isOpen(_ cell: String) -> Bool {
        let parts = cell.utf8.split(
            separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        guard parts.count > 1 else { return true }
        return parts.count == 2 && parts[1].count == 3
            && !cell.utf8.contains(UInt8(ascii: "."))
    }
}
