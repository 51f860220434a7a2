internal import ControlClient
internal import ShareControl
import Glibc

/// The recovery code of a room, as it comes from a sheet of paper: typed at the terminal without being
/// shown, or in a file. Never an argument, which the shell's history and other users could read.
enum RecoveryInput {
    static let options = [
        CommandSyntax.Option(
            name: "--recovery",
            help: "decide by the room's recovery code, whatever this device is; it asks for it"),
        CommandSyntax.Option(
            name: "--recovery-file", value: "FILE",
            help: "the same, with the code in a file (- is standard input)"),
    ]

    /// Bytes of a code, with what people put between its characters.
    private static let limit = 1_024

    /// The code; nil where neither option is given.
    static func code(_ session: Session) throws(Problem) -> String? {
        let arguments = session.arguments
        if let path = arguments.value("--recovery-file") {
            guard !arguments.has("--recovery") else {
                throw arguments.syntax.problem("--recovery and --recovery-file exclude each other")
            }
            return String(decoding: try InputFile(path).contents(limit: limit), as: UTF8.self)
        }
        return arguments.has("--recovery") ? try ask(arguments.syntax) : nil
    }

    /// Asks at the terminal, which shows nothing of what is typed.
    private static func ask(_ syntax: CommandSyntax) throws(Problem) -> String {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        var before = termios()
        guard terminal >= 0, tcgetattr(terminal, &before) == 0 else {
            if terminal >= 0 { close(terminal) }
            throw syntax.problem("--recovery asks at a terminal; without one: --recovery-file FILE")
        }
        defer { close(terminal) }
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(terminal, TCSAFLUSH, &silent)
        defer {
            tcsetattr(terminal, TCSAFLUSH, &before)
            write("\n", to: terminal)
        }
        write("recovery code (it is not shown): ", to: terminal)
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while line.count < limit {
            let count = read(terminal, &byte, 1)
            if Interruption.isRequested {
                throw Problem(.interrupted, "interrupted; nothing was done")
            }
            if count < 0, errno == EINTR { continue }
            guard count == 1, byte != UInt8(ascii: "\n") else { break }
            line.append(byte)
        }
        return String(decoding: line, as: UTF8.self)
    }

    private static func write(_ text: String, to terminal: Int32) {
        let bytes = Array(text.utf8)
        _ = Glibc.write(terminal, bytes, bytes.count)
    }
}
