import Testing

@testable import ShareNet

struct RetryScheduleTests {
    private let schedule = RetrySchedule(first: .milliseconds(500), longest: .seconds(30))

    @Test func `waits double up to the longest`() {
        let waits = (1...8).map { schedule.delay(after: $0, jitter: 0.5) }
        #expect(waits == [0.5, 1, 2, 4, 8, 16, 30, 30].map { Duration.seconds($0) })
    }

    @Test func `the spread is a quarter either way`() {
        #expect(schedule.delay(after: 2, jitter: 0) == .milliseconds(750))
        #expect(schedule.delay(after: 2, jitter: 1) == .milliseconds(1_250))
    }

    @Test(arguments: [Int.min, -1, 0, 1_000_000, .max])
    func `any number of failures gives a wait within bounds`(failures: Int) {
        let wait = schedule.delay(after: failures, jitter: 7)
        #expect(wait > .zero && wait <= .seconds(37.5))
    }
}
