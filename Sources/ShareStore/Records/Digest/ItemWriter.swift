import ShareCore
import ShareCrypto

/// Writes one record's digest item after another into one buffer, as deterministic CBOR, without
/// an allocation for each.
///
/// `CBORWriter` is the general tool; this one exists because every merged row passes through it.
final class ItemWriter {
    private var buffer: UnsafeMutableRawBufferPointer
    private var count = 0
    /// What has been hashed already of an item that is too long to be kept.
    private var hash: RunningHash?
    private static let longest = 64 << 10

    init() { buffer = .allocate(byteCount: 4_096, alignment: 8) }

    deinit { buffer.deallocate() }

    func removeAll() {
        count = 0
        hash = nil
    }

    /// Hashes what has been written where that is much; it cannot be returned to then.
    func spill() {
        guard count > ItemWriter.longest else { return }
        let hash = hash ?? RunningHash()
        hash.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        self.hash = hash
        count = 0
    }

    /// The place reached, to return to with `rewind`.
    var position: Int { count }

    func rewind(to position: Int) { count = position }

    func digest() -> StateDigest {
        if let hash {
            hash.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            return StateDigest(hash.digest())
        }
        return StateDigest(Hash.digest(UnsafeRawBufferPointer(rebasing: buffer[..<count])))
    }

    func array(_ length: Int) { head(0x80, UInt64(length)) }
    func write(_ value: Int) { write(integer: Int64(value)) }

    func write(integer value: Int64) {
        if value >= 0 { head(0, UInt64(value)) } else { head(0x20, UInt64(-1 - value)) }
    }

    func write(bytes value: UnsafeRawBufferPointer) {
        head(0x40, UInt64(value.count))
        raw(value)
    }

    func write(utf8 value: UnsafeRawBufferPointer) {
        head(0x60, UInt64(value.count))
        raw(value)
    }

    func write(_ value: Bytes32) { value.withUnsafeBytes { write(bytes: $0) } }

    func write(_ value: RecordID) {
        head(0x40, UInt64(RecordID.length))
        reserve(RecordID.length)
        big(value.high)
        big(value.low)
    }

    func write(text value: String) {
        var value = value
        value.withUTF8 { write(utf8: UnsafeRawBufferPointer($0)) }
    }

    func writeNull() {
        reserve(1)
        byte(0xf6)
    }

    func write(_ value: FieldValue) {
        switch value {
        case .absent: writeNull()
        case .integer(let value): write(integer: value)
        case .decimal(let value): write(value)
        case .text(let value): write(text: value)
        }
    }

    func write(_ value: Double) {
        reserve(9)
        if value.isNaN {
            byte(0xf9)
            big(UInt16(0x7e00))
        } else if Double(Float(value)) == value {
            if Double(Float16(value)) == value {
                byte(0xf9)
                big(Float16(value).bitPattern)
            } else {
                byte(0xfa)
                big(Float(value).bitPattern)
            }
        } else {
            byte(0xfb)
            big(value.bitPattern)
        }
    }

    /// Writes bytes that are CBOR already.
    func raw(_ value: UnsafeRawBufferPointer) {
        reserve(value.count)
        guard let source = value.baseAddress, let target = buffer.baseAddress else { return }
        (target + count).copyMemory(from: source, byteCount: value.count)
        count += value.count
    }

    func raw(_ value: [UInt8]) { value.withUnsafeBytes { raw($0) } }

    private func head(_ major: UInt8, _ argument: UInt64) {
        reserve(9)
        if argument < 24 {
            byte(major | UInt8(argument))
        } else if argument <= 0xff {
            byte(major | 24)
            byte(UInt8(argument))
        } else if argument <= 0xffff {
            byte(major | 25)
            big(UInt16(argument))
        } else if argument <= 0xffff_ffff {
            byte(major | 26)
            big(UInt32(argument))
        } else {
            byte(major | 27)
            big(argument)
        }
    }

    @inline(__always)
    private func byte(_ value: UInt8) {
        buffer[count] = value
        count += 1
    }

    @inline(__always)
    private func big<T: FixedWidthInteger>(_ value: T) {
        buffer.storeBytes(of: value.bigEndian, toByteOffset: count, as: T.self)
        count += MemoryLayout<T>.size
    }

    private func reserve(_ extra: Int) {
        guard count + extra > buffer.count else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(buffer.count * 2, count + extra), alignment: 8)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        buffer.deallocate()
        buffer = larger
    }
}
