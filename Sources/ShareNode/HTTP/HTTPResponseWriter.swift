/// Where the producer of a streamed response puts its bytes.
package struct HTTPResponseWriter: Sendable {
    let pipe: BytePipe

    /// Hands over bytes; waits while the client is slower than the producer.
    ///
    /// - Throws: `HTTPStreamError` as soon as nobody will read the bytes any more.
    package func write(_ bytes: [UInt8]) async throws {
        try await pipe.write(bytes)
    }

    /// Hands over the UTF-8 of `text`, under the same terms.
    package func write(_ text: String) async throws {
        try await pipe.write(Array(text.utf8))
    }

    /// Waits until the client has left or the daemon stops; returns at once if that was before.
    ///
    /// For producers that wait for events: race it against the next event.
    package func ended() async {
        await pipe.waitUntilFailed()
    }
}
