internal import Glibc

/// The words of the system for its error numbers.
enum SystemError {
    static func text(_ code: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        // Thread-safe, unlike strerror.
        guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
        let text = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Repeats a call that a signal interrupted.
    static func retry(_ call: () -> Int32) -> Int32 {
        while true {
            let result = call()
            if result != -1 || errno != EINTR { return result }
        }
    }
}
