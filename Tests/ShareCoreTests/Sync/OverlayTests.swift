import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

@Suite struct OverlayTests {
    let room = RoomID(Hash.digest([1]))

    func keys(_ count: Int) -> [DeviceKey] {
        (0..<count).map {
            DeviceKey(Hash.digest([UInt8($0 % 256), UInt8($0 / 256)]).value)
        }
    }

    @Test(arguments: [2, 3, 4, 5, 6, 9])
    func `few devices all talk to each other`(count: Int) {
        var random = SeededRandom(seed: 1)
        let keys = keys(count)
        for key in keys {
            let overlay = Overlay(room: room, key: key, readers: keys)
            let dials = overlay.dials(connected: [], using: &random)
            #expect(Set(dials) == Set(keys).subtracting([key]))
        }
    }

    @Test func `neighbours are neighbours of each other`() {
        let keys = keys(40)
        for key in keys {
            let overlay = Overlay(room: room, key: key, readers: keys)
            #expect(overlay.neighbours(of: key).count == 4)
            for other in overlay.neighbours(of: key) {
                #expect(overlay.neighbours(of: other).contains(key))
            }
        }
    }

    @Test(arguments: [UInt64](1...2))
    func `256 devices stay connected with at most sixteen sessions each`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let keys = keys(256)
        var sessions: [DeviceKey: Set<DeviceKey>] = [:]
        var booted: [DeviceKey] = []
        for key in keys.shuffled(using: &random) {
            booted.append(key)
            // Everybody looks around again as each device comes.
            for key in booted.shuffled(using: &random).prefix(2) + [key] {
                step(key, booted, &sessions, &random)
            }
        }
        for _ in 0..<2 { for key in booted { step(key, booted, &sessions, &random) } }
        #expect(sessions.values.allSatisfy { $0.count <= Overlay.accepted }, "seed \(seed)")
        #expect(reach(from: booted[0], sessions).count == 256, "seed \(seed)")
    }

    @Test func `who is typed is dialled where all fit, and else while sessions are sought`() {
        let keys = keys(Overlay.accepted + 2)
        let (few, sought) = (Set(keys[1..<Overlay.sought]), Set(keys[1...Overlay.sought]))
        let small = Overlay(room: room, key: keys[0], readers: keys.dropLast())
        #expect(small.wantsTyped(connected: sought))
        let large = Overlay(room: room, key: keys[0], readers: keys)
        #expect(large.wantsTyped(connected: few))
        #expect(!large.wantsTyped(connected: sought))
    }

    private func step(
        _ key: DeviceKey, _ booted: [DeviceKey], _ sessions: inout [DeviceKey: Set<DeviceKey>],
        _ random: inout SeededRandom
    ) {
        let overlay = Overlay(room: room, key: key, readers: booted)
        for other in overlay.dials(connected: sessions[key, default: []], using: &random) {
            sessions[key, default: []].insert(other)
            sessions[other, default: []].insert(key)
            for side in [key, other]
            where sessions[side, default: []].count > Overlay.accepted {
                let overlay = Overlay(room: room, key: side, readers: booted)
                while let spare = overlay.excess(
                    connected: sessions[side, default: []], using: &random)
                {
                    sessions[side]?.remove(spare)
                    sessions[spare]?.remove(side)
                }
            }
        }
    }

    private func reach(
        from key: DeviceKey, _ sessions: [DeviceKey: Set<DeviceKey>]
    ) -> Set<DeviceKey> {
        var found: Set<DeviceKey> = [key]
        var rest = [key]
        while let next = rest.popLast() {
            for other in sessions[next, default: []] where found.insert(other).inserted {
                rest.append(other)
            }
        }
        return found
    }
}
