import ShareCrypto
import ShareTestKit
import Testing

@Suite struct Bytes32Tests {
    @Test(arguments: [0, 31, 33]) func `other lengths are refused`(length: Int) {
        #expect(Bytes32([UInt8](repeating: 0, count: length)) == nil)
        #expect(Digest([UInt8](repeating: 0, count: length)) == nil)
        #expect(DeviceKey([UInt8](repeating: 0, count: length)) == nil)
    }

    @Test func `what goes in comes out, by every way in and out`() throws {
        let bytes = [UInt8](200..<232)
        let value = try #require(Bytes32(bytes))
        #expect(value.bytes == bytes)
        #expect(value.withUnsafeBytes { Array($0) } == bytes)
        // One byte further on, so that the address is not aligned.
        let shifted = ([0] + bytes + [1]).withUnsafeBytes {
            Bytes32(UnsafeRawBufferPointer(rebasing: $0.dropFirst()))
        }
        #expect(shifted == value)
        #expect(shifted.hashValue == value.hashValue)
    }

    @Test func `values that differ in any place have other hashes`() {
        for word in 0..<4 {
            let values = (0..<2_000).compactMap { number in
                var bytes = [UInt8](repeating: 7, count: 32)
                (bytes[word * 8], bytes[word * 8 + 7]) = (UInt8(number / 256), UInt8(number % 256))
                return Bytes32(bytes)
            }
            #expect(Set(values.map(\.hashValue)).count == 2_000, "word \(word)")
        }
    }

    @Test func `values are ordered as their bytes are`() {
        var random = SeededRandom(seed: TestSeed.printed())
        for round in 0..<500 {
            let first = random.bytes(32)
            // A common beginning, so that every place gets to decide.
            let second = first.prefix(round % 33) + random.bytes(32 - round % 33)
            guard let a = Bytes32(first), let b = Bytes32(second) else { continue }
            #expect((a < b) == first.lexicographicallyPrecedes(second))
            #expect((a == b) == (first == Array(second)))
        }
    }
}
