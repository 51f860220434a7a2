import ShareCore
import ShareCrypto

/// Writes one record's digest item after another into one buffer, as deterministic CBOR, without
/// an allocation for each.
///
/// Every merged row passes through it, so it keeps its memory and writes from raw bytes, which
/// `CBORWriter` does not; the heads are the same.
final class ItemWriter {
    private var buffer: UnsafeMutableRawBufferPointer
    private var count = 0
    /// The hash so far of an item that is too long to be kept.
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

    func array(_ length: Int) { append(CBORHead(.array, UInt64(length))) }
    func write(_ value: Int) { write(integer: Int64(value)) }

    func write(integer value: Int64) {
        append(
            value >= 0
                ? CBORHead(.unsigned, UInt64(value)) : CBORHead(.negative, UInt64(-1 - value)))
    }

    func write(bytes value: UnsafeRawBufferPointer) {
        append(CBORHead(.bytes, UInt64(value.count)))
        raw(value)
    }

    func write(utf8 value: UnsafeRawBufferPointer) {
        append(CBORHead(.text, UInt64(value.count)))
        raw(value)
    }

    func write(_ value: Bytes32) { value.withUnsafeBytes { write(bytes: $0) } }

    func write(_ value: RecordID) {
        append(CBORHead(.bytes, UInt64(RecordID.length)))
        reserve(RecordID.length)
        big(value.high)
        big(value.low)
    }

    func write(text value: String) {
        var value = value
        value.withUTF8 { write(utf8: UnsafeRawBufferPointer($0)) }
    }

    func writeNull() { append(.null) }

    func write(_ value: FieldValue) {
        switch value {
        case .absent: writeNull()
        case .integer(let value): write(integer: value)
        case .decimal(let value): write(value)
        case .text(let value): write(text: value)
        }
    }

    func write(_ value: Double) { append(CBORHead(value)) }

    /// Writes bytes that are CBOR already.
    func raw(_ value: UnsafeRawBufferPointer) {
        reserve(value.count)
        guard let source = value.baseAddress, let target = buffer.baseAddress else { return }
        (target + count).copyMemory(from: source, byteCount: value.count)
        count += value.count
    }

    @inline(__always)
    private func append(_ head: CBORHead) {
        reserve(CBORHead.longest)
        guard let target = buffer.baseAddress else { return }
        count += head.store(to: target + count)
    }

    @inline(__always)
    private func big<T: FixedWidthInteger>(_ value: T) {
        buffer.storeBytes(of: value.bigEndian, toByteOffset: count, as: T.self)
        count += MemoryLayout<T>.size
    }

    @inline(__always)
    private func reserve(_ extra: Int) {
        if count + extra > buffer.count { grow(for: extra) }
    }

    private func grow(for extra: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(buffer.count * 2, count + extra), alignment: 8)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        buffer.deallocate()
        buffer = larger
    }
}
