import Testing

@testable import ShareNet

struct FrameReaderTests {
    private func frame(_ body: [UInt8]) throws -> [UInt8] {
        try FrameWriter.header(of: body.count) + body
    }

    private func read(
        _ bytes: [UInt8], _ reader: inout FrameReader
    ) throws(FrameError) -> [[UInt8]] {
        try bytes.withUnsafeBufferPointer { buffer throws(FrameError) in
            var input = UnsafeRawBufferPointer(buffer)
            var frames: [[UInt8]] = []
            while let frame = try reader.next(from: &input) { frames.append(frame) }
            return frames
        }
    }

    @Test func `a header is the length in big-endian order`() throws {
        #expect(try FrameWriter.header(of: 0x1_02_03) == [0, 1, 2, 3])
        #expect(throws: FrameError.tooLong(announced: 5, limit: 4)) {
            try FrameWriter.header(of: 5, limit: 4)
        }
    }

    @Test func `a whole frame is read`() throws {
        var reader = FrameReader(limit: 100)
        #expect(try read(frame([1, 2, 3]), &reader) == [[1, 2, 3]])
        #expect(!reader.isInsideFrame)
    }

    @Test func `frames are read from single bytes`() throws {
        var reader = FrameReader(limit: 100)
        let bodies: [[UInt8]] = [[], [7], Array(0..<100)]
        var frames: [[UInt8]] = []
        for byte in try bodies.flatMap(frame) { frames += try read([byte], &reader) }
        #expect(frames == bodies)
    }

    @Test func `many frames are read at once, and a part of one is kept`() throws {
        var reader = FrameReader(limit: 1_000)
        let bodies = (0..<50).map { [UInt8](repeating: UInt8($0), count: $0 * 7) }
        let bytes = try bodies.flatMap(frame)
        #expect(try read(bytes + [0, 0, 0, 2, 9], &reader) == bodies)
        #expect(reader.isInsideFrame)
        #expect(try read([8], &reader) == [[9, 8]])
    }

    @Test func `a length above the limit is refused with its last byte`() throws {
        var reader = FrameReader(limit: 4_096)
        #expect(try read([0xFF, 0xFF, 0xFF], &reader).isEmpty)
        #expect(throws: FrameError.tooLong(announced: 0xFFFF_FFFF, limit: 4_096)) {
            try read([0xFF], &reader)
        }
        #expect(throws: FrameError.tooLong(announced: 0xFFFF_FFFF, limit: 4_096)) {
            try read([1, 2, 3], &reader)
        }
    }

    @Test func `a frame is taken after the limit was raised for it`() throws {
        var reader = FrameReader(limit: 2)
        #expect(throws: FrameError.tooLong(announced: 3, limit: 2)) {
            try read([0, 0, 0, 3], &reader)
        }
        reader.limit = 3
        #expect(try read([1, 2, 3], &reader) == [[1, 2, 3]])
    }
}
