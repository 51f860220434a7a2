import Foundation

/// Waits for the next day where this one is nearly over: for tests of what was done today.
package func untilDayLasts() async throws {
    let now = Date()
    guard let day = Calendar.current.dateInterval(of: .day, for: now) else { return }
    let left = day.end.timeIntervalSince(now)
    if left < 120 { try await Task.sleep(for: .seconds(left + 1)) }
}
