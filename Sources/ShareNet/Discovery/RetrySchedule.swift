/// How long to wait before the next try: doubling, bounded, and spread so that many devices
/// that failed together do not return together.
package struct RetrySchedule: Sendable {
    package let first: Duration
    package let longest: Duration

    package init(first: Duration, longest: Duration) {
        self.first = first
        self.longest = longest
    }

    /// The wait after `failures` failures in a row (1 or more), between three quarters and five
    /// quarters of its nominal length.
    ///
    /// - Parameter jitter: a random number from 0 up to 1.
    package func delay(after failures: Int, jitter: Double) -> Duration {
        let doublings = failures <= 1 ? 0 : min(failures - 1, 30)
        let nominal = min(first * (1 << doublings), longest)
        return nominal * (0.75 + min(max(jitter, 0), 1) / 2)
    }
}
