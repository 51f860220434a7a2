import Glibc
import ShareCrypto
import Synchronization
import Testing

@testable import ShareNet

@Suite(.timeLimit(.minutes(1)))
struct TransportFlowTests {
    /// The bytes of frame `index`, so that a swapped or damaged frame is noticed.
    private static func body(_ index: Int, _ size: Int) -> [UInt8] {
        var body = [UInt8](repeating: UInt8(truncatingIfNeeded: index &* 31), count: size)
        body[0] = UInt8(truncatingIfNeeded: index)
        body[size - 1] = UInt8(truncatingIfNeeded: index >> 8)
        return body
    }

    private static func send(_ count: Int, _ size: Int, _ connection: Connection) async throws {
        for index in 0..<count { try await connection.send(body(index, size)) }
    }

    private static func receive(
        _ count: Int, _ size: Int, _ connection: Connection
    ) async throws -> Bool {
        for index in 0..<count {
            guard try await connection.nextFrame() == body(index, size) else { return false }
        }
        return true
    }

    @Test func `50 MB flow both ways at once through small buffers`() async throws {
        var limits = TransportLimits()
        limits.outgoing = 256 << 10
        limits.incoming = 256 << 10
        let pair = try await TransportPair(limits: limits)
        let (near, far) = (pair.near, pair.far)
        near.admit()
        far.admit()
        let (count, size) = (800, 64 << 10)
        let right = try await withThrowingTaskGroup(of: Bool.self) { group in
            for connection in [near, far] {
                group.addTask {
                    try await Self.send(count, size, connection)
                    return true
                }
                group.addTask { try await Self.receive(count, size, connection) }
            }
            return try await group.reduce(true) { $0 && $1 }
        }
        #expect(right)
        let payload = UInt64(count * (size + FrameWriter.headerLength))
        try await eventually { near.bytesSent > payload && far.bytesSent > payload }
        for connection in [near, far] {
            // A record of 16 KiB carries 22 bytes of TLS; the handshake is below 2 KiB.
            #expect(connection.bytesSent > payload)
            #expect(connection.bytesSent < payload + payload / 500 + 4_096)
        }
        // Sent bytes are counted after the call that sent them, so the peer may be ahead.
        try await eventually { near.bytesReceived == far.bytesSent }
        await pair.stop()
    }

    @Test func `a sender waits when nobody reads, and a close wakes it`() async throws {
        var limits = TransportLimits()
        limits.outgoing = 128 << 10
        limits.incoming = 128 << 10
        let pair = try await TransportPair(limits: limits)
        let (near, far) = (pair.near, pair.far)
        far.admit()
        let sending = Task { () -> TransportError? in
            do throws(TransportError) {
                for _ in 0..<4_096 { try await near.send([UInt8](repeating: 1, count: 64 << 10)) }
                return nil
            } catch {
                return error
            }
        }
        // Nothing moves any more: the kernel's buffers are full too.
        var last: UInt64 = 0
        var still = 0
        try await eventually {
            let now = near.bytesSent
            still = now == last && near.state.withLock(\.hasWaitingSender) ? still + 1 : 0
            last = now
            return still > 20
        }
        #expect(near.bytesSent < 64 << 20)
        near.close("enough")
        #expect(await sending.value == .closed(.local("enough")))
        await pair.stop()
    }

    @Test func `a peer that takes nothing is given up`() async throws {
        var limits = TransportLimits()
        limits.stall = .milliseconds(300)
        let pair = try await TransportPair(limits: limits)
        let near = pair.near
        let error = await Task { () -> TransportError? in
            do throws(TransportError) {
                for _ in 0..<4_096 { try await near.send([UInt8](repeating: 1, count: 64 << 10)) }
                return nil
            } catch {
                return error
            }
        }.value
        #expect(error == .closed(.timedOut("the peer takes nothing")))
        await pair.stop()
    }

    @Test func `a long frame right behind the first is taken if that one admits its sender`()
        async throws
    {
        let pair = try await TransportPair()
        let long = [UInt8](repeating: 5, count: 1 << 20)
        try await pair.near.send([1])
        try await pair.near.send(long)
        try await eventually { pair.far.bytesReceived > 2_000 }
        #expect(try await pair.far.nextFrame() == [1])
        pair.far.admit()
        #expect(try await pair.far.nextFrame() == long)
        await pair.stop()
    }

    @Test func `a long frame from a stranger ends the connection`() async throws {
        let pair = try await TransportPair()
        try await pair.near.send([1])
        try await pair.near.send([UInt8](repeating: 5, count: 4_097))
        #expect(try await pair.far.nextFrame() == [1])
        let reason = CloseReason.frameTooLong(announced: 4_097, limit: 4_096)
        await #expect(throws: TransportError.closed(reason)) { try await pair.far.nextFrame() }
        #expect(pair.far.closeReason == reason)
        await pair.stop()
    }

    @Test func `frames sent before a close arrive`() async throws {
        let pair = try await TransportPair()
        pair.far.admit()
        for index in 0..<40 { try await pair.near.send(Self.body(index, 60_000)) }
        pair.near.close("that was all")
        #expect(try await Self.receive(40, 60_000, pair.far))
        #expect(try await pair.far.nextFrame() == nil)
        await pair.stop()
    }

    @Test func `no frame is sent that every peer would refuse`() async throws {
        let pair = try await TransportPair()
        let count = FrameLimit.member + 1
        await #expect(
            throws: TransportError.frameTooLong(count: count, limit: FrameLimit.member)
        ) { try await pair.near.send([UInt8](repeating: 0, count: count)) }
        await pair.stop()
    }

    @Test func `a cancelled consumer stops waiting, and the next one gets the frame`()
        async throws
    {
        let pair = try await TransportPair()
        let far = pair.far
        let waiting = Task { () -> TransportError? in
            do throws(TransportError) {
                _ = try await far.nextFrame()
                return nil
            } catch {
                return error
            }
        }
        waiting.cancel()
        #expect(await waiting.value == .cancelled)
        try await pair.near.send([9])
        #expect(try await far.nextFrame() == [9])
        await pair.stop()
    }
}
