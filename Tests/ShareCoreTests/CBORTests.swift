import ShareTestKit
import Testing

@testable import ShareCore

/// Deterministic CBOR, and nothing but it (docs/protocol.md, "Notation").
struct CBORTests {
    /// Items of RFC 8949, appendix A, that are deterministic and of kinds that are in use.
    @Test(arguments: [
        "00", "17", "1818", "18ff", "190100", "19ffff", "1a00010000", "1affffffff",
        "1b0000000100000000", "1bffffffffffffffff", "20", "37", "3818", "3bffffffffffffffff",
        "f90000", "f98000", "f93c00", "fb3ff199999999999a", "f93e00", "f97bff", "fa47c35000",
        "fa7f7fffff", "fb7e37e43c8800759c", "f90001", "f90400", "f9c400", "fbc010666666666666",
        "f97c00", "f97e00", "f9fc00", "f4", "f5", "f6", "40", "4401020304", "60", "6161",
        "62225c", "62c3bc", "63e6b0b4", "64f0908591", "80", "83010203", "a0", "a201020304",
        "a26161016162820203",
    ])
    func `the deterministic form is read`(hex: String) throws {
        try VectorFile.bytes(hex).readCBOR { reader throws(CBORError) in try reader.skip() }
    }

    @Test(arguments: [
        // Heads that could be shorter.
        "1800", "1817", "190000", "1900ff", "1a0000ffff", "1b00000000ffffffff", "3817",
        "580100", "7800", "9800", "b800",
        // Indefinite lengths, and their end.
        "5f4100ff", "7f6161ff", "9f01ff", "bf6161f5ff", "ff",
        // Tags, undefined, other simple values, reserved widths.
        "c000", "d200", "d81200", "f7", "e0", "f0", "f818", "f820", "f8f4", "1c", "3d", "5e", "fc",
        "fe",
        // Floats that could be narrower, and other NaNs.
        "fa00000000", "fb0000000000000000", "fa3f800000", "fb3ff0000000000000",
        "fa47c35000"
            + "00", "fa7fc00000", "fb7ff8000000000000", "f97e01", "f97d00", "f9fe00",
        "fa33800000", "fb36a0000000000000", "fa7f800000", "fb7ff0000000000000",
        // Text that is not UTF-8: surrogates, overlong forms, beyond the last, cut short.
        "61ff", "63eda080", "62c080", "64f4908080", "61c3",
        // Maps whose keys are out of order, or twice.
        "a202000100", "a201000100", "a2616100 6100",
        // Bytes that end too early.
        "", "18", "19ff", "1b00000001", "42ff", "81", "8200", "a1", "a101", "f9", "fb00",
        "5bffffffffffffffff", "9bffffffffffffffff", "bb7fffffffffffffff",
    ])
    func `anything else is refused`(hex: String) {
        let bytes = VectorFile.bytes(hex.filter { $0 != " " })
        #expect(throws: CBORError.self) {
            try bytes.readCBOR { reader throws(CBORError) in try reader.skip() }
        }
    }

    @Test(arguments: 0..<20)
    func `what is written is read again, and no byte of it can be another`(round: Int) throws {
        var random = SeededRandom(seed: UInt64(round))
        for _ in 0..<200 {
            var writer = CBORWriter()
            let integer =
                Int64(bitPattern: random.next()) >> Int64.random(in: 0..<64, using: &random)
            let bits = random.next()
            let numbers = [
                Double(bitPattern: bits),
                Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))),
                Double(Float16(bitPattern: UInt16(truncatingIfNeeded: bits))), Double(integer),
            ]
            writer.array(2 + numbers.count)
            writer.write(integer: integer)
            writer.write(unsigned: bits)
            for number in numbers { writer.write(number) }
            try writer.bytes.readCBOR { reader throws(CBORError) in
                try reader.readArray(exactly: 2 + numbers.count)
                #expect(try reader.readInteger() == integer)
                #expect(try reader.readUnsigned() == bits)
                for number in numbers {
                    guard case .decimal(let found) = try reader.readCell() else {
                        throw .unexpected
                    }
                    #expect(found.bitPattern == number.bitPattern || found.isNaN && number.isNaN)
                }
            }
        }
    }
}
