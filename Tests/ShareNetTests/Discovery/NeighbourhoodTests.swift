import ShareCrypto
import Testing

@testable import ShareNet

struct NeighbourhoodTests {
    private let start = ContinuousClock.now
    private let own = DeviceKey(Bytes32.zero)

    private func key(_ number: UInt8) throws -> DeviceKey {
        try #require(DeviceKey([UInt8](repeating: number, count: 32)))
    }

    private func finding(
        _ number: UInt8, port: UInt16 = 1, addresses: [String] = ["10.0.0.1"],
        interface: String = "eth0", after: Duration = .zero
    ) throws -> Finding {
        Finding(
            text: ServiceText(device: try key(number), rooms: []), port: port,
            addresses: addresses, interface: interface, learned: start + after)
    }

    /// Lets a sighting appear and be looked up.
    private func learn(
        _ sighting: Sighting, _ finding: Finding, in neighbourhood: inout Neighbourhood
    ) {
        neighbourhood.appeared(sighting, at: start)
        let next = neighbourhood.nextLookup(at: start, preferring: nil)
        #expect(next == sighting)
        neighbourhood.learned(finding, of: sighting)
        neighbourhood.completed(sighting, at: start)
    }

    @Test func `an instance stays until each IP family has taken it back`() {
        var neighbourhood = Neighbourhood()
        let sighting = Sighting(name: "ward-1", interface: 2)
        neighbourhood.appeared(sighting, at: start)
        neighbourhood.appeared(sighting, at: start)
        let afterOne = neighbourhood.vanished(sighting)
        #expect(afterOne == false)
        #expect(neighbourhood.count == 1)
        let afterTwo = neighbourhood.vanished(sighting)
        #expect(afterTwo)
        #expect(neighbourhood.count == 0)
        let afterThree = neighbourhood.vanished(sighting)
        #expect(afterThree == false)
    }

    @Test func `a device on two interfaces is one peer with the addresses of both`() throws {
        var neighbourhood = Neighbourhood()
        learn(Sighting(name: "a", interface: 2), try finding(1), in: &neighbourhood)
        learn(
            Sighting(name: "a", interface: 3),
            try finding(1, addresses: ["fe80::1%wlan0", "10.1.0.1"], interface: "wlan0"),
            in: &neighbourhood)
        let peers = neighbourhood.peers(except: own)
        #expect(peers.count == 1)
        #expect(peers.first?.addresses == ["10.0.0.1", "10.1.0.1", "fe80::1%wlan0"])
        #expect(peers.first?.interfaces == ["eth0", "wlan0"])
        let isGone = neighbourhood.vanished(Sighting(name: "a", interface: 2))
        #expect(isGone)
        #expect(neighbourhood.peers(except: own).first?.interfaces == ["wlan0"])
    }

    @Test func `of two ports the newest finding's counts`() throws {
        var neighbourhood = Neighbourhood()
        learn(Sighting(name: "a", interface: 2), try finding(1, port: 5), in: &neighbourhood)
        learn(
            Sighting(name: "a #2", interface: 2),
            try finding(1, port: 6, addresses: ["10.0.0.9"], after: .seconds(1)),
            in: &neighbourhood)
        let peer = neighbourhood.peers(except: own).first
        #expect(peer?.port == 6)
        #expect(peer?.name == "a #2")
        #expect(peer?.addresses == ["10.0.0.9"])
    }

    @Test func `one's own advertisement is seen and is not a peer`() throws {
        var neighbourhood = Neighbourhood()
        learn(Sighting(name: "me", interface: 2), try finding(0), in: &neighbourhood)
        #expect(neighbourhood.peers(except: own).isEmpty)
        #expect(neighbourhood.sees(own, named: "me"))
        #expect(!neighbourhood.sees(own, named: "me #2"))
        #expect(neighbourhood.duplicates(of: own, besides: "me").isEmpty)
    }

    @Test func `another machine with one's own identity is told from one's own advertisement`()
        throws
    {
        var neighbourhood = Neighbourhood()
        learn(Sighting(name: "me", interface: 2), try finding(0), in: &neighbourhood)
        learn(
            Sighting(name: "me #2", interface: 2),
            try finding(0, port: 6, addresses: ["10.0.0.9"]), in: &neighbourhood)
        let duplicates = neighbourhood.duplicates(of: own, besides: "me")
        #expect(duplicates.map(\.addresses) == [["10.0.0.9"]])
        #expect(duplicates.map(\.port) == [6])
        #expect(neighbourhood.duplicates(of: own, besides: nil).isEmpty)
    }

    @Test func `whoever advertises another's key adds addresses but does not push out its own`()
        throws
    {
        var neighbourhood = Neighbourhood()
        learn(Sighting(name: "real", interface: 2), try finding(1), in: &neighbourhood)
        for number in 0..<20 {
            let lies = (0..<8).map { "10.9.\(number).\($0 + 1)" }
            learn(
                Sighting(name: "liar \(number)", interface: 2),
                try finding(1, addresses: lies), in: &neighbourhood)
        }
        let peer = neighbourhood.peers(except: own).first
        #expect(peer?.addresses.count == Neighbourhood.mostAddressesOfPeer)
    }

    @Test func `no more than four lookups run at once`() {
        var neighbourhood = Neighbourhood()
        for number in 0..<10 {
            neighbourhood.appeared(Sighting(name: "\(number)", interface: 2), at: start)
        }
        let begun = (0..<10).compactMap { _ in
            neighbourhood.nextLookup(at: start, preferring: nil)
        }
        #expect(begun.map(\.name) == ["0", "1", "2", "3"])
        #expect(neighbourhood.wake == nil)
        neighbourhood.completed(begun[0], at: start)
        let next = neighbourhood.nextLookup(at: start, preferring: nil)
        #expect(next?.name == "4")
    }

    @Test func `one's own advertisement is looked up first`() {
        var neighbourhood = Neighbourhood()
        for number in 0..<10 {
            neighbourhood.appeared(Sighting(name: "\(number)", interface: 2), at: start)
        }
        let next = neighbourhood.nextLookup(at: start, preferring: "7")
        #expect(next?.name == "7")
    }

    @Test func `failed lookups wait longer each time, and two of them void what was known`() throws
    {
        var neighbourhood = Neighbourhood()
        let sighting = Sighting(name: "a", interface: 2)
        learn(sighting, try finding(1), in: &neighbourhood)
        var now = start + Neighbourhood.refreshInterval
        for (failure, wait) in [(1, 1), (2, 2), (3, 4)] {
            let due = neighbourhood.nextLookup(at: now, preferring: nil)
            #expect(due == sighting)
            neighbourhood.failed(sighting, at: now, jitter: 0.5)
            #expect(neighbourhood.peers(except: own).isEmpty == (failure >= 2))
            #expect(neighbourhood.wake == now + .seconds(wait))
            let early = neighbourhood.nextLookup(at: now, preferring: nil)
            #expect(early == nil)
            now += .seconds(wait)
        }
    }

    @Test func `what is known is looked up again after a minute, or at once when asked`() throws {
        var neighbourhood = Neighbourhood()
        learn(Sighting(name: "a", interface: 2), try finding(1), in: &neighbourhood)
        #expect(neighbourhood.wake == start + .seconds(60))
        neighbourhood.refresh(at: start + .seconds(1))
        #expect(neighbourhood.wake == start + .seconds(1))
    }

    @Test func `what vanishes while it is looked up is not taken in`() throws {
        var neighbourhood = Neighbourhood()
        let sighting = Sighting(name: "a", interface: 2)
        neighbourhood.appeared(sighting, at: start)
        let next = neighbourhood.nextLookup(at: start, preferring: nil)
        #expect(next == sighting)
        let isGone = neighbourhood.vanished(sighting)
        #expect(isGone)
        neighbourhood.learned(try finding(1), of: sighting)
        neighbourhood.completed(sighting, at: start)
        #expect(neighbourhood.count == 0)
        #expect(neighbourhood.looking.isEmpty)
    }

    @Test func `a flood is bounded, and what never answers makes room`() throws {
        var neighbourhood = Neighbourhood()
        learn(Sighting(name: "real", interface: 2), try finding(1), in: &neighbourhood)
        for number in 0..<5_000 {
            neighbourhood.appeared(Sighting(name: "flood \(number)", interface: 2), at: start)
        }
        #expect(neighbourhood.count == Neighbourhood.most)
        let next = neighbourhood.nextLookup(at: start, preferring: nil)
        let useless = try #require(next)
        neighbourhood.failed(useless, at: start, jitter: 0)
        let late = Sighting(name: "late", interface: 2)
        neighbourhood.appeared(late, at: start)
        #expect(neighbourhood.count == Neighbourhood.most)
        let wasKept = neighbourhood.vanished(late)
        #expect(wasKept)
        #expect(neighbourhood.peers(except: own).count == 1)
    }
}
