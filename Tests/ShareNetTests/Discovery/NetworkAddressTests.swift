import Testing

@testable import ShareNet

struct NetworkAddressTests {
    private func v6(_ leading: [UInt8], last: UInt8 = 1) -> [UInt8] {
        leading + [UInt8](repeating: 0, count: 15 - leading.count) + [last]
    }

    @Test func `addresses are written in numbers, link-local IPv6 with its scope`() {
        #expect(NetworkAddress.text([10, 77, 0, 1], interface: "eth0") == "10.77.0.1")
        #expect(NetworkAddress.text([169, 254, 0, 1], interface: "eth0") == "169.254.0.1")
        #expect(NetworkAddress.text(v6([0xFE, 0x80]), interface: "wlan0") == "fe80::1%wlan0")
        #expect(NetworkAddress.text(v6([0xFD, 0x12]), interface: "wlan0") == "fd12::1")
    }

    @Test func `what no other device can have is refused`() {
        let bad: [[UInt8]] = [
            [], [1, 2, 3], [0, 0, 0, 0], [127, 0, 0, 1], [224, 0, 0, 251], [255, 255, 255, 255],
            v6([]), v6([], last: 0), v6([0xFF, 0x02]),
            [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 127, 0, 0, 1],
            [UInt8](repeating: 1, count: 17),
        ]
        for bytes in bad { #expect(NetworkAddress.text(bytes, interface: "eth0") == nil) }
        #expect(NetworkAddress.text([127, 0, 0, 1], interface: "lo") == "127.0.0.1")
        #expect(NetworkAddress.text(v6([]), interface: "lo") == "::1")
    }
}
