internal import Dispatch
internal import Glibc
internal import Synchronization

/// The descriptors of this process, and who may have the last ones: connections get none of those
/// behind a line, so that files can be opened and the libraries below go on, some of which end the
/// process where they get none.
package struct Descriptors: Sendable {
    /// How many the process may have open.
    package let limit: Int32
    /// Connections of other devices end here, and those of who watches, which stay as long as
    /// theirs: the system gives the lowest number that is free.
    package let peers: Int32
    /// Other ones of the control socket end here, so that people are answered when no peer is.
    package let control: Int32

    /// The lines for so many descriptors; the system's own number where none is given.
    package init(limit: Int32 = Descriptors.softLimit()) {
        self.limit = limit
        peers = limit - min(max(limit / 8, Descriptors.leastInReserve), Descriptors.mostInReserve)
        control = limit - min(max(limit / 16, 2), Descriptors.mostInReserve / 2)
    }

    /// How many no connection of another device gets, and no watch.
    package var reserve: Int32 { limit - peers }

    /// Kept back at most: an open room takes five.
    private static let mostInReserve: Int32 = 64
    /// Kept back at least: a command takes one; each file that it is the first to read, a room's, its
    /// index of searches or its flags, takes three.
    private static let leastInReserve: Int32 = 10

    package static func softLimit() -> Int32 {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return 1_024
        }
        return Int32(clamping: limit.rlim_cur)
    }

    /// Allows the process as many as it may allow itself, and has Dispatch take those that it keeps
    /// for timers, which it does with the first of each clock otherwise, whenever that is.
    package static func prepare() async {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        if getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max {
            limit.rlim_cur = limit.rlim_max
            _ = setrlimit(resource, &limit)
        }
        let moment = DispatchTimeInterval.milliseconds(1)
        DispatchQueue.global().asyncAfter(deadline: .now() + moment) {}
        DispatchQueue.global().asyncAfter(wallDeadline: .now() + moment) {}
        try? await Task.sleep(for: .milliseconds(1), clock: .continuous)
        try? await Task.sleep(for: .milliseconds(1), clock: .suspending)
    }
}

/// Tells that connections are refused for want of descriptors, and not again for an hour.
package final class DescriptorAlarm: Sendable {
    private let last = Mutex<ContinuousClock.Instant?>(nil)
    private let tell: @Sendable () -> Void

    package init(_ tell: @escaping @Sendable () -> Void) { self.tell = tell }

    package func sound() {
        let isNews = last.withLock { last in
            if let last, .now - last < Self.pause { return false }
            last = .now
            return true
        }
        if isNews { tell() }
    }

    private static let pause = Duration.seconds(3_600)
}
