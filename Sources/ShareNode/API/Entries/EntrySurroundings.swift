import Expressions
import ShareCore
import ShareForms
import ShareStore

/// What this device knows that forms ask for: the time here, its name.
struct EntrySurroundings: Sendable {
    let own: OwnDevice
    /// Milliseconds since 1970.
    let wall: @Sendable () -> UInt64

    /// The setting of an entry that is made, or looked at, now.
    func setting() -> EntrySetting {
        setting(at: Moment(milliseconds: Int64(clamping: wall())))
    }

    /// The same as of another moment.
    func setting(at now: Moment) -> EntrySetting {
        EntrySetting(
            now: now,
            offset: { LocalTime.offset(at: $0.milliseconds) },
            deviceID: own.key.text, username: own.name,
            randomBits: { UInt64.random(in: 0...UInt64.max) })
    }
}
