/// The help texts, made from the syntax of the commands.
enum Help {
    /// What most days need.
    private static let today = [
        ("join CODE", "join a room, with the code that a member reads out"),
        ("add FORM", "enter something"),
        ("push", "send what was entered here"),
        ("status", "who is up to date, this device and its rooms"),
        ("list FORM", "the entries of a form"),
    ]

    /// Wide enough for the titles of all groups.
    private static let margin = 19

    /// As the terminal is, and no wider than lines that are read with ease.
    private static var width: Int { min(Terminal.columns, 80) }
    private static let optionMargin = 24

    /// Notes in lines that fit; one that is indented, or part of a list, stands by itself.
    private static func paragraphs(_ notes: [String]) -> [String] {
        var paragraphs: [String] = []
        for note in notes {
            let isOwn = note.hasPrefix(" ") || note.hasPrefix("- ")
            if let last = paragraphs.last, !isOwn, !last.hasPrefix(" "), !last.hasPrefix("- ") {
                paragraphs[paragraphs.count - 1] = last + " " + note
            } else {
                paragraphs.append(note)
            }
        }
        return paragraphs.flatMap { Terminal.wrap($0, width) }
    }

    static func overview(to output: Output) {
        output.line("shared: share forms and entries with the devices on the same network")
        for (command, summary) in today {
            output.line("  \(Terminal.pad("shared \(command)", 18))  \(summary)")
        }
        output.line("")
        for group in Commands.groups {
            let names = group.commands.map { "`\($0.syntax.name)`" }.joined(separator: ", ")
            let lines = Terminal.wrap(names, 79 - margin)
                .map { $0.filter { $0 != "`" } }
            for (index, line) in lines.enumerated() {
                output.line(Terminal.pad(index == 0 ? group.title : "", margin) + line)
            }
        }
        output.line("Each in a line: shared help --all   One, with an example: shared help COMMAND")
    }

    static func everything(to output: Output) {
        output.line("shared: share forms and entries with the devices on the same network")
        output.line("")
        output.line("usage: shared COMMAND [ARGUMENT]... [--room ROOM] [--json] [--socket PATH]")
        for group in Commands.groups {
            output.line("")
            output.line("\(group.title):")
            for command in group.commands {
                let syntax = command.syntax
                output.line("  \(Terminal.pad(syntax.name, 17))\(syntax.summary)")
            }
        }
        output.line("")
        output.line("Help for one command, with an example: shared help COMMAND")
        output.line("Exit codes: 0 done, 1 failed, 2 usage, 3 the daemon is not reachable")
    }

    /// The commands that begin with one word.
    static func family(_ name: String, _ commands: [any Command.Type], to output: Output) {
        output.line("shared \(name): one of these")
        output.line("")
        for command in commands {
            output.line("  \(Terminal.pad(command.syntax.name, 17))\(command.syntax.summary)")
        }
        output.line("")
        output.line("Help for one of them, with an example: shared help \(commands[0].syntax.name)")
    }

    static func command(_ syntax: CommandSyntax, to output: Output) {
        output.line("shared \(syntax.name): \(syntax.summary)")
        output.line("")
        let parts = syntax.words.map { $0.contains(" ") ? "`\($0)`" : $0 }.joined(separator: " ")
        for (place, line) in Terminal.wrap(parts, width - 7).enumerated() {
            output.line((place == 0 ? "usage: " : "       ") + line.filter { $0 != "`" })
        }
        if !syntax.notes.isEmpty {
            output.line("")
            for note in paragraphs(syntax.notes) { output.line(note) }
        }
        output.line("")
        output.line("Options:")
        for option in syntax.allOptions {
            let name = option.value.map { "\(option.name) \($0)" } ?? option.name
            let texts = Terminal.wrap(option.help, width - optionMargin)
            let isLong = Terminal.width(name) > optionMargin - 3
            if isLong { output.line("  \(name)") }
            for (place, text) in texts.enumerated() {
                let lead = place == 0 && !isLong ? "  \(name)" : ""
                output.line(Terminal.pad(lead, optionMargin) + text)
            }
        }
        output.line("")
        output.line(syntax.examples.count == 1 ? "Example:" : "Examples:")
        for example in syntax.examples { output.line("  \(example)") }
    }
}
