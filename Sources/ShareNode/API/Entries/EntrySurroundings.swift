import Expressions
import Glibc
import ShareCore
import ShareForms

/// What this device knows that forms ask for: the time here, its name.
struct EntrySurroundings: Sendable {
    let own: OwnDevice
    /// Milliseconds since 1970.
    let wall: @Sendable () -> UInt64

    /// The setting of an entry that is made, or looked at, now.
    func setting() -> EntrySetting {
        EntrySetting(
            now: Moment(milliseconds: Int64(clamping: wall())), offset: Self.offset,
            deviceID: own.key.text, username: own.name,
            randomBits: { UInt64.random(in: 0...UInt64.max) })
    }

    /// Milliseconds that local time is ahead of UTC.
    private static func offset(at moment: Moment) -> Int64 {
        var seconds = time_t(moment.milliseconds / 1_000)
        var local = tm()
        guard localtime_r(&seconds, &local) != nil else { return 0 }
        return Int64(local.tm_gmtoff) * 1_000
    }
}
