import Testing

@testable import ShareNet

struct TransportUnprovenTests {
    @Test func `the oldest of a full address goes for its newest`() {
        var table = UnprovenTable<Int>(total: 10, perAddress: 2)
        #expect(table.insert(1, from: "a", isExempt: false) == nil)
        #expect(table.insert(2, from: "b", isExempt: false) == nil)
        #expect(table.insert(3, from: "a", isExempt: false) == nil)
        #expect(table.insert(4, from: "a", isExempt: false) == 1)
        #expect(table.insert(5, from: "a", isExempt: false) == 3)
        #expect(table.count == 3)
    }

    @Test func `a full table takes from the address that holds most`() {
        var table = UnprovenTable<Int>(total: 4, perAddress: 3)
        for id in 1...3 { #expect(table.insert(id, from: "a", isExempt: false) == nil) }
        #expect(table.insert(4, from: "b", isExempt: false) == nil)
        #expect(table.insert(5, from: "c", isExempt: false) == 1)
        #expect(table.count == 4)
    }

    @Test func `who is proven or gone leaves its place`() {
        var table = UnprovenTable<Int>(total: 2, perAddress: 1)
        _ = table.insert(1, from: "a", isExempt: false)
        table.remove(1)
        table.remove(1)
        #expect(table.count == 0)
        #expect(table.insert(2, from: "a", isExempt: false) == nil)
    }

    @Test func `an exempt address is bounded by the total only`() {
        var table = UnprovenTable<Int>(total: 3, perAddress: 1)
        for id in 1...3 { #expect(table.insert(id, from: "lo", isExempt: true) == nil) }
        #expect(table.insert(4, from: "lo", isExempt: true) == 1)
    }
}
