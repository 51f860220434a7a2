internal import Glibc

/// The one place where system calls are repeated and their failures put into words.
enum SystemCall {
    /// The result of a call, or the error number that it left.
    enum Outcome {
        case done(Int)
        case failed(Int32)

        /// Whether the call would have had to wait.
        var wouldBlock: Bool {
            if case .failed(let number) = self {
                number == EAGAIN || number == EWOULDBLOCK
            } else {
                false
            }
        }
    }

    /// Runs `call` until no signal interrupts it.
    static func run(_ call: () -> Int) -> Outcome {
        while true {
            let result = call()
            if result >= 0 { return .done(result) }
            if errno != EINTR { return .failed(errno) }
        }
    }

    /// Runs `call`, and turns a failure into an error that says what was being done.
    @discardableResult
    static func check(_ doing: String, _ call: () -> Int32) throws(TransportError) -> Int32 {
        switch run({ Int(call()) }) {
        case .done(let result): return Int32(truncatingIfNeeded: result)
        case .failed(let number): throw .system("\(doing): \(words(number))")
        }
    }

    /// The system's words for an error number.
    static func words(_ number: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        guard strerror_r(number, &buffer, buffer.count) == 0 else { return "error \(number)" }
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
