/// How a file writes its dates and numbers, from the shape of those cells alone that forms write
/// otherwise: what a form allows plays no part.
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
    /// Whether a comma as decimal sign reads each of these numbers; nil where the file has none.
    package private(set) var hasDecimalComma: Bool?

    package init() {}

    static let orders: [CSVHabits.DateOrder] = [.dmy, .mdy]

    /// What nobody can tell, where both orders suit all of the file.
    package var openDay: OpenDay? { dates?.count == 2 ? firstOpen : nil }

    /// Takes a day that forms write otherwise.
    ///
    /// - Parameter read: what it is in each of `orders`; nil where it is none.
    mutating func take(day cell: String, as read: [String?], _ line: Int, _ column: String) {
        dates = zip(Self.orders, read).filter { order, day in
            day != nil && dates?.contains(order) ?? true
        }.map(\.0)
        if firstOpen == nil, let first = read[0], let second = read[1], first != second {
            firstOpen = OpenDay(
                line: line, column: column, cell: cell, dayFirst: first, monthFirst: second)
        }
    }

    /// Takes a number that forms write otherwise.
    mutating func take(numberWithComma isRead: Bool) {
        hasDecimalComma = isRead && hasDecimalComma ?? true
    }
}
