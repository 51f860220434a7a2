internal import CEpoll
internal import Glibc
internal import Synchronization

extension Link {
    /// How many bytes go out before other sockets have their turn.
    private static var turn: Int { 1 << 20 }

    /// How many bytes must be gone before waiting callers are told while others still wait.
    private static var report: Int { 256 << 10 }

    /// Encrypts and sends what there is, as far as the socket takes it.
    func flush() {
        guard phase != .connecting, phase != .closed else { return }
        wantsWrite = false
        var total = 0
        while true {
            guard encrypt() else { return }
            guard tls.hasOutput else { break }
            var outcome = SystemCall.Outcome.done(0)
            let count = tls.transmit { ring in
                outcome = SystemCall.run { send(fd, ring.baseAddress, ring.count, sendFlags) }
                if case .done(let count) = outcome { return count }
                return 0
            }
            if case .failed(let number) = outcome {
                guard outcome.wouldBlock else {
                    // What the peer sent before it left is still worth reading.
                    if phase == .open, !isPaused { receive() }
                    terminate(.lost(SystemCall.words(number)))
                    return
                }
                wantsWrite = true
                break
            }
            noteSent(count)
            total += count
            if total >= Link.turn {
                wantsWrite = true
                break
            }
        }
        if goneCost >= Link.report { reportGone() }
        if phase == .draining, !wantsWrite { sayGoodbye() }
        watchForStall()
        updateInterest()
    }

    private var sendFlags: Int32 { Int32(MSG_NOSIGNAL) }

    /// One attempt to send, for bytes that nobody waits for.
    func sendOnce(_ bytes: UnsafeRawBufferPointer) -> Int {
        max(0, send(fd, bytes.baseAddress, bytes.count, sendFlags))
    }

    private func noteSent(_ count: Int) {
        lastProgress = .now
        if let connection {
            connection.sentCount.add(UInt64(count), ordering: .relaxed)
        } else {
            sentEarly += UInt64(count)
        }
    }

    /// Fills the ring with records; false if that ended the connection.
    private func encrypt() -> Bool {
        guard phase == .open || phase == .draining, !saidGoodbye else { return true }
        do throws(TLSError) {
            while true {
                if stagedOffset == staged.count, !stage() { return true }
                let offset = stagedOffset
                let taken = try staged.withUnsafeBufferPointer {
                    bytes throws(TLSError) -> Int in
                    try tls.write(
                        UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[offset...])))
                }
                if taken == 0 { return true }
                stagedOffset += taken
            }
        } catch {
            fail(error)
            return false
        }
    }

    /// Gathers frames into the plaintext of one record; false if there are none. Small frames
    /// share a record, which costs a copy and saves 22 bytes and a cipher call for each.
    private func stage() -> Bool {
        let size = EventLoop.scratchSize
        staged.removeAll(keepingCapacity: true)
        stagedOffset = 0
        while staged.count < size {
            if let (body, offset) = current {
                let end = min(body.count, offset + size - staged.count)
                staged.append(contentsOf: body[offset..<end])
                if end < body.count {
                    current = (body, end)
                } else {
                    goneCost += FrameQueue.cost(of: body)
                    current = nil
                }
            } else if let body = outbox.popFirst() ?? refill() {
                // `send` has checked the length.
                guard let header = try? FrameWriter.header(of: body.count) else { continue }
                if staged.isEmpty { staged.reserveCapacity(min(size, header.count + body.count)) }
                staged.append(contentsOf: header)
                current = (body, 0)
            } else {
                break
            }
        }
        if staged.isEmpty { staged = [] }
        return !staged.isEmpty
    }

    private func refill() -> [UInt8]? {
        reportGone()
        return outbox.popFirst()
    }

    /// Makes room for the callers of `send`, and takes what they have given since.
    private func reportGone() {
        guard let connection else { return }
        let gone = goneCost
        goneCost = 0
        var (frames, taken) = connection.state.withLock { $0.takeOutgoing(gone: gone) }
        if outbox.isEmpty {
            outbox = frames
        } else {
            while let frame = frames.popFirst() { outbox.append(frame) }
        }
        for ticket in taken { ticket.give(.success(())) }
    }

    private func sayGoodbye() {
        guard !saidGoodbye else { return }
        saidGoodbye = true
        tls.close()
        _ = tls.transmit { sendOnce($0) }
        shutdown(fd, Int32(SHUT_WR))
    }

    /// Ends the connection if the peer takes nothing for too long.
    private func watchForStall() {
        guard wantsWrite, phase == .open, stallTimer == nil else { return }
        armStallTimer(after: limits.stall)
    }

    private func armStallTimer(after delay: Duration) {
        stallTimer = loop.schedule(after: delay) { [self] in
            stallTimer = nil
            guard wantsWrite, phase == .open else { return }
            let left = limits.stall - lastProgress.duration(to: .now)
            if left > .zero {
                armStallTimer(after: left)
            } else {
                terminate(.timedOut("the peer takes nothing"))
            }
        }
    }
}
