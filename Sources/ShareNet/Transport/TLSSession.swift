internal import COpenSSL
package import ShareCrypto

/// One TLS connection without a socket: bytes in, bytes out.
///
/// Ciphertext passes through two rings of fixed size, so whoever drives it moves bytes between
/// them and the peer whenever a call says that it is blocked. Not for two threads at once.
package final class TLSSession {
    /// The result of a read.
    package enum Reading: Equatable {
        /// As many bytes of the peer's were put into the buffer.
        case bytes(Int)
        /// More ciphertext must arrive first, or some must leave.
        case blocked
        /// The peer said that it sends nothing more.
        case ended
    }

    /// The size of each ring: a few records, so that one system call moves many of them.
    package static let ringSize = 128 << 10

    package let side: TLSSide
    /// The peer's key; nil before the handshake is complete.
    package private(set) var peerKey: DeviceKey?

    private let handle: OpaquePointer
    /// Our end of the pair of rings; the other one belongs to `handle`.
    private let ring: OpaquePointer
    // The context must outlive the session's certificate callback.
    private let context: TLSContext

    package init(context: TLSContext, side: TLSSide) throws(TLSError) {
        let handle = try TLSError.unwrap("starting TLS") { SSL_new(context.handle) }
        var inner: OpaquePointer?
        var outer: OpaquePointer?
        ERR_clear_error()
        guard
            BIO_new_bio_pair(&inner, TLSSession.ringSize, &outer, TLSSession.ringSize) == 1,
            let outer
        else {
            SSL_free(handle)
            throw TLSError.last("starting TLS")
        }
        SSL_set_bio(handle, inner, inner)
        switch side {
        case .client: SSL_set_connect_state(handle)
        case .server: SSL_set_accept_state(handle)
        }
        self.handle = handle
        self.context = context
        self.side = side
        ring = outer
    }

    deinit {
        SSL_free(handle)
        BIO_free(ring)
    }

    /// Lends the free part of the ring for ciphertext from the peer to `fill`, which returns how
    /// many bytes it put there. Returns what `fill` did, or 0 without a call if the ring is full.
    package func receive(_ fill: (UnsafeMutableRawBufferPointer) -> Int) -> Int {
        var start: UnsafeMutablePointer<CChar>?
        ERR_clear_error()
        let space = Int(BIO_nwrite0(ring, &start))
        guard space > 0, let first = start else { return 0 }
        let count = fill(UnsafeMutableRawBufferPointer(start: first, count: space))
        precondition(count <= space)
        if count > 0 { BIO_nwrite(ring, &start, Int32(count)) }
        return count
    }

    /// Lends ciphertext for the peer to `drain`, which returns how many bytes it took. Returns
    /// what `drain` did, or 0 without a call if there is none.
    package func transmit(_ drain: (UnsafeRawBufferPointer) -> Int) -> Int {
        var start: UnsafeMutablePointer<CChar>?
        ERR_clear_error()
        let available = Int(BIO_nread0(ring, &start))
        guard available > 0, let first = start else { return 0 }
        let count = drain(UnsafeRawBufferPointer(start: first, count: available))
        precondition(count <= available)
        if count > 0 { BIO_nread(ring, &start, Int32(count)) }
        return count
    }

    /// Whether ciphertext waits to be transmitted.
    package var hasOutput: Bool { BIO_ctrl_pending(ring) > 0 }

    /// Carries the handshake as far as the received bytes allow; true once it is complete.
    ///
    /// - Throws: when the peer broke the rules; an alert for it may then wait in the ring.
    package func handshake() throws(TLSError) -> Bool {
        if peerKey != nil { return true }
        ERR_clear_error()
        let result = SSL_do_handshake(handle)
        guard result == 1 else {
            if isBlocked(result) { return false }
            throw TLSError.last("TLS handshake")
        }
        guard let certificate = SSL_get0_peer_certificate(handle),
            let key = TLSCertificate.deviceKey(of: certificate)
        else { throw TLSError(description: "TLS handshake: the peer showed no device key") }
        peerKey = key
        return true
    }

    /// Decrypts into `buffer`, which is not empty.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(TLSError) -> Reading {
        var count = 0
        ERR_clear_error()
        let result = SSL_read_ex(handle, buffer.baseAddress, buffer.count, &count)
        if result == 1 { return .bytes(count) }
        if SSL_get_error(handle, result) == SSL_ERROR_ZERO_RETURN { return .ended }
        if isBlocked(result) { return .blocked }
        throw TLSError.last("reading from the peer")
    }

    /// Encrypts from the front of `bytes`, which is not empty, and returns how many bytes were
    /// taken; 0 when the ring is full. The next call must then begin with the same bytes.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(TLSError) -> Int {
        var count = 0
        ERR_clear_error()
        let result = SSL_write_ex(handle, bytes.baseAddress, bytes.count, &count)
        if result == 1 { return count }
        if isBlocked(result) { return 0 }
        throw TLSError.last("writing to the peer")
    }

    /// Tells the peer that nothing more will come, as far as the ring has room for it.
    package func close() {
        ERR_clear_error()
        // Its answer says whether the peer has done the same, which nobody waits for.
        _ = SSL_shutdown(handle)
        ERR_clear_error()
    }

    /// Bytes that only the two ends of this connection can know (RFC 8446, section 7.5); they
    /// do not cover the client's certificate.
    package func exporter(label: String, length: Int) throws(TLSError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: length)
        try TLSError.check("deriving a key from TLS") {
            SSL_export_keying_material(
                handle, &bytes, length, label, label.utf8.count, nil, 0, 0)
        }
        return bytes
    }

    private func isBlocked(_ result: Int32) -> Bool {
        let error = SSL_get_error(handle, result)
        return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE
    }
}

/// Which side of a connection a device is on.
package enum TLSSide: Sendable {
    /// It dialled.
    case client
    /// It was dialled.
    case server
}
