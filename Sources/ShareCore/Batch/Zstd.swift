internal import CZstd

/// The compression of batch bodies: one zstd frame (RFC 8878) of the one kind that is allowed.
enum Zstd {
    private static let magic: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd]
    private static let level: Int32 = 3

    /// One frame with its content size, without a checksum or a dictionary.
    static func compress(_ raw: [UInt8]) -> [UInt8] {
        let bound = ZSTD_compressBound(raw.count)
        return [UInt8](unsafeUninitializedCapacity: bound) { buffer, count in
            let written = ZSTD_compress(buffer.baseAddress, bound, raw, raw.count, level)
            precondition(ZSTD_isError(written) == 0, "zstd had the room it asked for")
            count = written
        }
    }

    /// The same without compression: RFC 8878 §3.1.1, a single segment of raw blocks.
    static func store(_ raw: [UInt8]) -> [UInt8] {
        // Frame_Content_Size in four bytes, Single_Segment_flag.
        var frame = magic + [0b1010_0000]
        frame += (0..<4).map { UInt8(truncatingIfNeeded: raw.count >> (8 * $0)) }
        var start = 0
        repeat {
            let end = min(start + blockLength, raw.count)
            let header = (end - start) << 3 | (end == raw.count ? 1 : 0)
            frame += (0..<3).map { UInt8(truncatingIfNeeded: header >> (8 * $0)) }
            frame += raw[start..<end]
            start = end
        } while start < raw.count
        return frame
    }

    /// Bytes of one block at most.
    private static let blockLength = 128 << 10

    /// The content of `frame`, which must be one frame as `compress` writes it and measure
    /// exactly `length` bytes.
    static func decompress(
        _ frame: UnsafeRawBufferPointer, length: UInt64
    ) throws(BodyError) -> [UInt8] {
        guard length <= UInt64(Limits.rawBody), frame.count > magic.count + 1,
            frame.starts(with: magic)
        else { throw .compression }
        // Frame_Header_Descriptor: no checksum, no dictionary, reserved bits zero.
        let descriptor = frame[magic.count]
        guard descriptor & 0b0001_1111 == 0 else { throw .compression }
        // Without Single_Segment a window descriptor follows: 10 is 2^10 bytes.
        if descriptor & 0b0010_0000 == 0 {
            let window = frame[magic.count + 1]
            let base = UInt64(1) << (10 + UInt64(window >> 3))
            guard base + base / 8 * UInt64(window & 7) <= UInt64(Limits.rawBody) else {
                throw .compression
            }
        }
        guard ZSTD_getFrameContentSize(frame.baseAddress, frame.count) == length,
            ZSTD_findFrameCompressedSize(frame.baseAddress, frame.count) == frame.count
        else { throw .compression }
        var isWhole = false
        let raw = [UInt8](unsafeUninitializedCapacity: Int(length)) { buffer, count in
            let written = ZSTD_decompress(
                buffer.baseAddress, Int(length), frame.baseAddress, frame.count)
            isWhole = ZSTD_isError(written) == 0 && written == Int(length)
            count = isWhole ? written : 0
        }
        guard isWhole else { throw .compression }
        return raw
    }
}
