import ShareCrypto

/// Whose clock is off, by what most devices in reach say, this one among them.
///
/// A peer tells its wall clock when it says hello. Where no time has more than half of the devices
/// behind it, nobody can say who is right; what differs is then told as seen from this device.
struct ClockComparison: Sendable {
    /// Clocks that differ by less are as good as alike, in seconds.
    static let tolerance = 300

    /// Seconds by which each clock is ahead of this device's.
    private let ahead: [DeviceKey: Int]
    /// The time that most have, in seconds ahead of this device's; nil where there is none.
    private let usual: Int?

    /// - Parameter ahead: seconds by which the clocks of other devices are ahead of this one's.
    init(_ ahead: [DeviceKey: Int]) {
        self.ahead = ahead
        let sorted = (ahead.values + [0]).sorted()
        let median = sorted[(sorted.count - 1) / 2]
        let alike = sorted.count { abs($0 - median) < ClockComparison.tolerance }
        usual = alike * 2 > sorted.count ? median : nil
    }

    /// The devices with a clock that is off, ascending by key.
    var others: [DeviceKey] { ahead.keys.filter { fault(of: $0) != nil }.sorted() }

    /// How far a device's clock is off, as people say it; nil where it is right or not known.
    func fault(of device: DeviceKey) -> String? {
        guard let seconds = ahead[device] else { return nil }
        guard let usual else {
            let preposition = seconds > 0 ? " of" : ""
            return words(seconds).map { "\($0)\(preposition) this device's" }
        }
        return words(seconds - usual)
    }

    /// The same of this device's own; nil as long as most do not say so.
    var ownFault: String? { usual.flatMap { words(-$0) } }

    private func words(_ seconds: Int) -> String? {
        let amount = abs(seconds)
        guard amount >= ClockComparison.tolerance else { return nil }
        let text =
            switch amount {
            case ..<7_200: "\((amount + 30) / 60) min"
            case ..<172_800: "\((amount + 1_800) / 3_600) h"
            default: "\((amount + 43_200) / 86_400) days"
            }
        return "\(text) \(seconds > 0 ? "ahead" : "behind")"
    }
}
