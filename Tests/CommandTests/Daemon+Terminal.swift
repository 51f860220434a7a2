import Foundation
import JSON
import ShareTestKit
import Testing

extension Daemon {
    /// What somebody does at a terminal.
    struct Typed {
        /// What is waited for before it, in what was shown since the line before.
        var after = "> "
        var line: String
        /// What is done meanwhile: words of `shared`, without a terminal.
        var meanwhile: [String] = []
    }

    /// Types lines on a terminal of its own, 60 columns wide, and ends when the command does.
    private static let typist = """
        import json, os, pty, re, select, struct, subprocess, sys, termios, fcntl, time
        words, steps = json.loads(sys.argv[1]), json.loads(sys.argv[2])
        child, terminal = pty.fork()
        if child == 0:
            # Before anybody asks for it.
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 60, 0, 0))
            os.execv(words[0], words)
        end = time.monotonic() + 40
        shown = said = ""
        def read():
            global shown, said
            if not select.select([terminal], [], [], max(0, end - time.monotonic()))[0]:
                sys.exit(f"nothing came: {shown!r}")
            try:
                part = os.read(terminal, 65536).decode(errors="replace")
            except OSError:
                part = ""
            shown, said = shown + part, said + part
            return part
        for step in steps:
            while step["after"] not in said:
                if not read():
                    sys.exit(f"it ended before {step['after']!r}: {shown!r}")
            if step["meanwhile"]:
                subprocess.run([words[0]] + step["meanwhile"], check=True, capture_output=True)
            said = ""
            os.write(terminal, step["line"].encode() + b"\\n")
        while read():
            pass
        print(shown.replace("\\r", ""), end="")
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """

    /// - Parameter environment: what is set beside what is needed, such as `TERM`.
    func onTerminal(
        _ words: [String], _ typed: [Typed], environment: [String: String] = ["NO_COLOR": "1"]
    ) async throws -> CommandRun {
        let shared = try Product.path("shared")
        let steps = typed.map { step -> JSONValue in
            .object([
                "after": .string(step.after), "line": .string(step.line),
                "meanwhile": .array(step.meanwhile.map { .string($0) }),
            ])
        }
        func text(_ values: [JSONValue]) -> String {
            String(decoding: JSONValue.array(values).text, as: UTF8.self)
        }
        return try await CommandRun(
            program: "/usr/bin/python3",
            ["-c", Self.typist, text(([shared] + words).map { .string($0) }), text(steps)],
            environment: [
                "SHARED_SOCKET": socket, "XDG_STATE_HOME": folder.path + "/state",
                "LC_ALL": "C.UTF-8", "TERM": "dumb", "PATH": "/usr/bin:/bin",
            ].merging(environment) { $1 }, limit: .seconds(60))
    }
}
