internal import Glibc
internal import Synchronization

extension Link {
    /// How many bytes one readiness may bring in before other sockets have their turn.
    private static var turn: Int { 1 << 20 }

    /// Takes what the socket has, as far as there is room for it.
    func receive() {
        var total = 0
        while total < Link.turn, !isPaused, !sawEnd, phase != .closed {
            var outcome = SystemCall.Outcome.done(0)
            var space = 0
            let count = tls.receive { ring in
                space = ring.count
                outcome = SystemCall.run { recv(fd, ring.baseAddress, ring.count, 0) }
                if case .done(let count) = outcome { return count }
                return 0
            }
            // A full ring comes of a blocked output: what follows empties it, or is paused.
            if space > 0 {
                switch outcome {
                case .done(0): sawEnd = true
                case .done: noteReceived(count)
                case .failed(let number):
                    guard !outcome.wouldBlock else { return }
                    terminate(.lost(SystemCall.words(number)))
                    return
                }
            }
            process()
            total += count
            if count < space || space == 0 { break }
        }
    }

    private func noteReceived(_ count: Int) {
        if let connection {
            connection.receivedCount.add(UInt64(count), ordering: .relaxed)
        } else {
            receivedEarly += UInt64(count)
        }
    }

    /// Goes on where reading was paused.
    func resume() {
        guard phase == .open, isPaused else { return }
        isPaused = false
        process()
        flush()
    }

    /// Decrypts what has arrived and hands on the frames in it.
    func process() {
        if phase == .handshaking, !advanceHandshake() {
            if sawEnd { terminate(.lost("the peer hung up during the TLS handshake")) }
            return
        }
        while !isPaused {
            switch phase {
            case .open:
                guard readFrames() else { return }
            case .draining:
                guard dropInput() else { return }
            case .connecting, .handshaking, .closed:
                return
            }
        }
    }

    /// Reads one record's worth of frames; false when there is nothing more to read now.
    private func readFrames() -> Bool {
        if let bytes = leftover {
            leftover = nil
            bytes.withUnsafeBytes { split($0) }
            return phase == .open
        }
        do throws(TLSError) {
            switch try tls.read(into: loop.scratch) {
            case .bytes(let count):
                split(UnsafeRawBufferPointer(rebasing: loop.scratch.prefix(count)))
                return true
            case .blocked:
                if sawEnd { end() }
                return false
            case .ended:
                end()
                return false
            }
        } catch {
            fail(error)
            return false
        }
    }

    private func end() {
        terminate(reader.isInsideFrame ? .lost("cut off within a frame") : .peer)
    }

    private func split(_ bytes: UnsafeRawBufferPointer) {
        var input = bytes
        var frames: [[UInt8]] = []
        while true {
            do throws(FrameError) {
                guard let frame = try reader.next(from: &input) else { break }
                frames.append(frame)
            } catch {
                guard case .tooLong(let announced, _) = error else { return }
                deliver(frames)
                frames = []
                let verdict = connection?.state.withLock { $0.judge(announced: announced) }
                switch verdict {
                case .allowed(let limit):
                    reader.limit = limit
                case .undecided:
                    leftover = Array(input)
                    isPaused = true
                    return
                case nil:
                    return
                case .refused(let limit):
                    tls.close()
                    _ = tls.transmit { sendOnce($0) }
                    terminate(.frameTooLong(announced: announced, limit: limit))
                    return
                }
            }
        }
        deliver(frames)
    }

    private func deliver(_ frames: [[UInt8]]) {
        guard !frames.isEmpty, let connection else { return }
        let (answer, frame, goesOn) = connection.state.withLock { $0.deliver(frames) }
        answer?.give(.success(frame))
        if !goesOn { isPaused = true }
    }

    /// Drops one record of a connection that was closed here; false when there is none now.
    private func dropInput() -> Bool {
        do throws(TLSError) {
            switch try tls.read(into: loop.scratch) {
            case .bytes: return true
            case .blocked where !sawEnd: return false
            case .blocked, .ended:
                terminate(.peer)
                return false
            }
        } catch {
            fail(error)
            return false
        }
    }
}
