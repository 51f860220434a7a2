import Glibc
import Testing

/// Real Avahi on hosts of its own.
@Suite(
    .serialized,
    .enabled(if: LabNetwork.works, "no LAN of namespaces can run here: Lab/lan check says why"))
struct DiscoveryLabTests {
    @Test func `three hosts see each other over IPv4 and link-local IPv6`() async throws {
        try await LabNetwork.with(hosts: 3) { lab in
            let probes = try (1...3).map { try lab.probe(on: $0, name: "ward-\($0)", number: $0) }
            for (index, probe) in probes.enumerated() {
                try await probe.waitFor("state running", "name ward-\(index + 1)", "own seen")
                for other in 1...3 where other != index + 1 {
                    let line = try await probe.waitFor(
                        "peer \(other) port=4700\(other) addresses=10.77.0.\(other),fe80:")
                    #expect(line.first?.contains("%eth0 interfaces=eth0 ") == true)
                    #expect(line.first?.hasSuffix(" name=ward-\(other)") == true)
                }
            }
            #expect(try await probes[2].finish() == 0)
            try await probes[0].waitFor("gone 3")
            try await probes[1].waitFor("gone 3")
        }
    }

    @Test func `discovery outlives avahi-daemon, also with lookups open, and finds all again`()
        async throws
    {
        try await LabNetwork.with(hosts: 2) { lab in
            let first = try lab.probe(on: 1, name: "ward-1", number: 1)
            let second = try lab.probe(on: 2, name: "ward-2", number: 2)
            try await first.waitFor("peer 2 ", "own seen")
            for _ in 1...2 {
                first.forget()
                second.forget()
                // Each lookup holds its references for at least 300 ms.
                try first.tell("refresh")
                try await lab.lan("stop-avahi", "1")
                try await first.waitFor(
                    "state unavailable The avahi-daemon is not running", "gone 2")
                try await second.waitFor("gone 1")
                try await lab.lan("start-avahi", "1")
                try first.tell("refresh")
                try await first.waitFor("state running", "name ward-1", "own seen", "peer 2 ")
                try await second.waitFor("peer 1 ")
            }
            #expect(try await first.finish() == 0)
            #expect(try await second.finish() == 0)
        }
    }

    @Test func `discovery begins by itself when avahi-daemon starts late`() async throws {
        try await LabNetwork.with(hosts: 2) { lab in
            try await lab.lan("stop-avahi", "1")
            let first = try lab.probe(on: 1, name: "ward-1", number: 1)
            let second = try lab.probe(on: 2, name: "ward-2", number: 2)
            try await first.waitFor("state unavailable The avahi-daemon is not running")
            try await second.waitFor("own seen")
            try await lab.lan("start-avahi", "1")
            try await first.waitFor("state running", "own seen", "peer 2 ", within: .seconds(45))
            try await second.waitFor("peer 1 ")
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become a user that nobody knows"))
    func `a user that D-Bus does not know is told apart from a daemon that does not run`()
        async throws
    {
        try await LabNetwork.with(hosts: 1) { lab in
            let unknown = try lab.probe(on: 1, name: "ward-1", number: 1, as: 54_321)
            try await unknown.waitFor("state unavailable D-Bus refuses this process")
            let known = try lab.probe(on: 1, name: "ward-2", number: 2)
            try await known.waitFor("state running")
        }
    }

    @Test func `two devices of one name on two hosts: one of them is renamed`() async throws {
        try await LabNetwork.with(hosts: 2) { lab in
            let first = try lab.probe(on: 1, name: "ward", number: 1)
            // Until it has been announced, nobody defends the name.
            try await first.waitFor("name ward", "own seen")
            let second = try lab.probe(on: 2, name: "ward", number: 2)
            try await second.waitFor("name ward #2", "own seen")
            let seen = try await second.waitFor("peer 1 ")
            #expect(seen.first?.hasSuffix(" name=ward") == true)
            let renamed = try await first.waitFor("peer 2 ")
            #expect(renamed.first?.hasSuffix(" name=ward #2") == true)

            // The new name stays, also for a new registration.
            second.forget()
            try await lab.lan("stop-avahi", "2")
            try await second.waitFor("state unavailable")
            try await lab.lan("start-avahi", "2")
            try second.tell("refresh")
            try await second.waitFor("name ward #2", "own seen", "peer 1 ")
        }
    }

    @Test func `two devices of one name on one host: the second takes a suffix`() async throws {
        try await LabNetwork.with(hosts: 2) { lab in
            let first = try lab.probe(on: 1, name: "ward", number: 1)
            try await first.waitFor("name ward", "own seen")
            let second = try lab.probe(on: 1, name: "ward", number: 2)
            try await second.waitFor("name ward #2", "own seen", "peer 1 ")
            let far = try lab.probe(on: 2, name: "far", number: 3)
            try await far.waitFor("peer 1 port=47001", "peer 2 port=47002")
        }
    }

    @Test func `devices that missed each other meet when the cable is plugged in`() async throws {
        try await LabNetwork.with(hosts: 2) { lab in
            try await lab.lan("cut", "2")
            let first = try lab.probe(on: 1, name: "ward-1", number: 1)
            let second = try lab.probe(on: 2, name: "ward-2", number: 2)
            try await first.waitFor("name ward-1", "own seen")
            try await second.waitFor("name ward-2", "own seen")
            #expect(!first.lines.contains { $0.hasPrefix("peer ") })
            try await lab.lan("heal", "2")
            try first.tell("refresh")
            try second.tell("refresh")
            try await first.waitFor("peer 2 port=47002 addresses=10.77.0.2,fe80:")
            try await second.waitFor("peer 1 port=47001 addresses=10.77.0.1,fe80:")
        }
    }

    @Test func `a new room, a new name and an end are seen by others`() async throws {
        try await LabNetwork.with(hosts: 2) { lab in
            let first = try lab.probe(on: 1, name: "ward-1", number: 1)
            let second = try lab.probe(on: 2, name: "ward-2", number: 2)
            try await first.waitFor("peer 2 ")
            try await second.waitFor("name ward-2")
            try second.tell("room clinic|abcdefgh")
            try await waitForRoom(in: first, "rooms=clinic|abcdefgh name=ward-2")
            try second.tell("name pharmacy")
            try await second.waitFor("name pharmacy")
            try await waitForRoom(in: first, "rooms=clinic|abcdefgh name=pharmacy")
            try second.tell("stop")
            try await second.waitFor("stopped", "state off")
            try await first.waitFor("gone 2")
        }
    }

    /// A changed TXT record is not told by browsing: so this asks until it is there.
    private func waitForRoom(in probe: LabProbe, _ ending: String) async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while probe.lines.last(where: { $0.hasPrefix("peer 2 ") })?.hasSuffix(ending) != true {
            guard ContinuousClock.now < deadline else {
                throw LabFailure(text: "no \(ending):\n" + probe.lines.joined(separator: "\n"))
            }
            try probe.tell("refresh")
            try await Task.sleep(for: .milliseconds(100))
        }
    }
}
