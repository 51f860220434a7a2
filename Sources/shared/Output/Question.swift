internal import ControlClient
internal import ShareControl
import Glibc

/// Questions that are answered at the terminal with one word.
enum Question {
    /// Whether somebody sits there: what is asked is seen, and what is typed comes from a keyboard.
    static var canBeAsked: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    private static let longest = 1_024

    /// Asks, and waits for a line; all but `y` and `yes` is no.
    static func yes(_ question: String) throws(Problem) -> Bool {
        let prompt = Array((question + " [y/N] ").utf8)
        // What was typed ahead has been shown already, with its end of line: none comes behind the
        // question.
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        let isAhead = poll(&input, 1, 0) > 0
        defer { if isAhead { _ = write(STDERR_FILENO, "\n", 1) } }
        _ = write(STDERR_FILENO, prompt, prompt.count)
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while line.count < longest {
            let count = read(STDIN_FILENO, &byte, 1)
            if Interruption.isRequested {
                throw Problem(.interrupted, "interrupted; nothing was done")
            }
            if count < 0, errno == EINTR { continue }
            guard count == 1, byte != UInt8(ascii: "\n") else { break }
            line.append(byte)
        }
        return ["y", "yes"].contains(String(decoding: line, as: UTF8.self).lowercased())
    }
}
