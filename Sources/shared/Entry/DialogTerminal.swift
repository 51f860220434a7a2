internal import ControlClient
internal import ShareControl
import Glibc

/// Where questions are shown and answers are typed: a terminal, or a pipe with one answer a line.
struct DialogTerminal {
    /// Whether somebody can be asked.
    static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

    /// Bytes of one answer; a value has half of that at most, which the daemon says of longer ones.
    private static let longestLine = 512 << 10
    /// Linux gives so many bytes of a line that is typed at most, and drops the rest.
    static let cutLine = 4_095

    let isTerminal = isatty(STDIN_FILENO) == 1
    /// Questions go to standard output, unless a JSON answer does.
    let descriptor: Int32

    func show(_ lines: [Interview.Line]) {
        var text = ""
        for line in lines {
            let margin = String(repeating: " ", count: line.indent)
            let mark = line.kind.mark
            text += margin + style(line.kind, mark + line.text) + "\n"
        }
        write(text)
    }

    /// Shows the prompt and waits for a line; nil where there is no more.
    ///
    /// - Throws: `Problem` with `interrupted` on Ctrl-C, with `tooLarge` for a line that is no answer.
    func line(_ prompt: String) throws(Problem) -> String? {
        write(style(.aside, prompt))
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = read(STDIN_FILENO, &byte, 1)
            if Interruption.isRequested {
                write("\n")
                throw Problem(.interrupted, "interrupted")
            }
            if count < 0, errno == EINTR { continue }
            guard count == 1 else {
                write("\n")
                if line.isEmpty { return nil }
                break
            }
            if byte == UInt8(ascii: "\n") { break }
            guard line.count < Self.longestLine else {
                // The rest of it would answer the next question.
                throw Problem(
                    .tooLarge, "an answer is longer than \(Self.longestLine >> 10) KiB",
                    hint: "One value has 256 KiB at most; an answer ends with its line.")
            }
            line.append(byte)
        }
        let text = String(decoding: line, as: UTF8.self)
        // A terminal has shown what was typed.
        if !isTerminal { write(text + "\n") }
        return text
    }

    private func style(_ kind: Interview.Line.Kind, _ text: String) -> String {
        let isShown = Style.isShown && isatty(descriptor) == 1
        switch kind {
        case .title: return Style.bold(text, if: isShown)
        case .text: return text
        case .aside: return Style.dim(text, if: isShown)
        case .warning: return Style.yellow(text, if: isShown)
        case .refusal: return Style.red(text, if: isShown)
        }
    }

    private func write(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                let count = Glibc.write(descriptor, part.baseAddress, part.count)
                if count < 0, errno != EINTR { return }
                rest = rest.dropFirst(max(0, count))
            }
        }
    }
}
