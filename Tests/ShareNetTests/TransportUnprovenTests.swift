import Testing

@testable import ShareNet

struct TransportUnprovenTests {
    @Test func `the oldest of a full address goes for its newest`() {
        var table = UnprovenTable<Int>(total: 10, perAddress: 2, perNetwork: 10)
        #expect(table.insert(1, from: "a", in: "a", isExempt: false) == nil)
        #expect(table.insert(2, from: "b", in: "b", isExempt: false) == nil)
        #expect(table.insert(3, from: "a", in: "a", isExempt: false) == nil)
        #expect(table.insert(4, from: "a", in: "a", isExempt: false) == 1)
        #expect(table.insert(5, from: "a", in: "a", isExempt: false) == 3)
        #expect(table.count == 3)
    }

    @Test func `a full table takes from the address that holds most`() {
        var table = UnprovenTable<Int>(total: 4, perAddress: 3, perNetwork: 10)
        for id in 1...3 { #expect(table.insert(id, from: "a", in: "a", isExempt: false) == nil) }
        #expect(table.insert(4, from: "b", in: "b", isExempt: false) == nil)
        #expect(table.insert(5, from: "c", in: "c", isExempt: false) == 1)
        #expect(table.count == 4)
    }

    @Test func `who is proven or gone leaves its place`() {
        var table = UnprovenTable<Int>(total: 2, perAddress: 1, perNetwork: 10)
        _ = table.insert(1, from: "a", in: "a", isExempt: false)
        table.remove(1)
        table.remove(1)
        #expect(table.count == 0)
        #expect(table.insert(2, from: "a", in: "a", isExempt: false) == nil)
    }

    @Test func `an exempt address is bounded by the total only`() {
        var table = UnprovenTable<Int>(total: 3, perAddress: 1, perNetwork: 10)
        for id in 1...3 { #expect(table.insert(id, from: "lo", in: "lo", isExempt: true) == nil) }
        #expect(table.insert(4, from: "lo", in: "lo", isExempt: true) == 1)
    }

    @Test func `many addresses of one network count together`() {
        var table = UnprovenTable<Int>(total: 10, perAddress: 2, perNetwork: 3)
        #expect(table.insert(1, from: "x::1", in: "x", isExempt: false) == nil)
        #expect(table.insert(2, from: "x::2", in: "x", isExempt: false) == nil)
        #expect(table.insert(3, from: "x::2", in: "x", isExempt: false) == nil)
        #expect(table.insert(4, from: "y::1", in: "y", isExempt: false) == nil)
        // The address with most of the network's places gives up its oldest.
        #expect(table.insert(5, from: "x::3", in: "x", isExempt: false) == 2)
        #expect(table.count == 4)
    }

    @Test func `a full table takes from the network that holds most`() {
        var table = UnprovenTable<Int>(total: 4, perAddress: 2, perNetwork: 3)
        #expect(table.insert(1, from: "y::1", in: "y", isExempt: false) == nil)
        for id in 2...4 {
            #expect(table.insert(id, from: "x::\(id)", in: "x", isExempt: false) == nil)
        }
        // Every address has one: the network tells who is likely to be one machine.
        #expect(table.insert(5, from: "z::1", in: "z", isExempt: false) == 2)
    }

    @Test(arguments: [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::7", true), ("fe80::1", "fe80::2", true),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", false), ("10.0.0.1", "10.0.0.2", false),
        ("::ffff:10.0.0.1", "::ffff:10.0.0.2", false),
    ])
    func `an IPv6 network is its first 64 bits`(_ a: String, _ b: String, isSame: Bool) throws {
        let networks = try [a, b].map {
            try SocketAddress.lookUp(Endpoint(host: $0, port: 1), numericOnly: true)[0].network
        }
        #expect((networks[0] == networks[1]) == isSame, "\(networks)")
    }
}
