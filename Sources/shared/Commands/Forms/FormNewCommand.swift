internal import JSON
internal import ShareControl
import Glibc

/// `shared form new`
enum FormNewCommand: Command {
    static let syntax = CommandSyntax(
        name: "form new", summary: "write a form to begin with, with remarks",
        operands: [.init(name: "FORM")],
        options: [.init(name: "--output", value: "FILE.md", help: "the file; else FORM.md")],
        takesRoom: false,
        notes: [
            "It is a Markdown file with the tables of an XLSForm, and text between them that",
            "says what each column is for. `shared form add FILE.md` takes it as it is.",
        ],
        examples: ["shared form new household"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let form = session.arguments.operand(0)
        let path = session.arguments.value("--output") ?? "\(form).md"
        guard path != "-" else {
            Array(starter(form).utf8).withUnsafeBytes { session.output.write($0) }
            return .done
        }
        guard access(path, F_OK) != 0 else {
            throw Problem(
                .fileUnwritable, "\(path) is there already",
                hint: "Name another file: `--output FILE.md`.")
        }
        let file = try OutputFile(path)
        Array(starter(form).utf8).withUnsafeBytes { file.output.write($0) }
        try file.commit()
        if session.wantsJSON {
            session.output.line(["file": .string(path)])
        } else {
            session.output.line("wrote \(Terminal.plain(path))")
            session.output.line("check it:  shared form check \(Shell.quoted(path))")
            session.output.line("add it:    shared form add \(Shell.quoted(path))")
        }
        return .done
    }

    /// Text between tables is left out when the file is read.
    private static func starter(_ form: String) -> String {
        """
        # \(form)

        The questions of the form are the rows of the table `survey`. Columns that you do not need
        may go; the order is yours. Types: text, integer, decimal, date, time, dateTime,
        select_one LIST, select_multiple LIST, geopoint, image, note, calculate; `begin group` and
        `end group`; `begin repeat` and `end repeat` for what an entry has several of.

        - name: the column of the table, in letters, digits and _; it stays the same for good.
        - label, hint: what people read; `label::French (fr)` in a language of its own.
        - required: yes, or a condition.
        - relevant: when it is asked at all, for instance `${visited} = 'yes'`.
        - constraint: what an answer (.) must be, and constraint_message what is said otherwise.
        - shared::unit: a unit to show, for instance Cel or %.
        - shared::warn: what an answer is flagged for, and never refused.

        | survey | | | | | | | |
        | --- | --- | --- | --- | --- | --- | --- | --- |
        | | type | name | label | required | relevant | constraint | constraint_message |
        | | date | day | Day of the visit | yes | | . <= today() | This day has not come yet |
        | | text | place | Place | yes | | | |
        | | select_one yes_no | visited | Was somebody at home? | yes | | | |
        | | begin group | home | At home | | ${visited} = 'yes' | | |
        | | integer | people | How many people live here? | yes | | . > 0 and . < 100 | From 1 to 99 |
        | | begin repeat | person | Person | | | | |
        | | text | name | Name | yes | | | |
        | | integer | age | Age in years | | | . >= 0 and . <= 120 | From 0 to 120 |
        | | end repeat | | | | | | |
        | | end group | | | | | | |
        | | text | remark | Remark | | | | |

        Choices stand in the table `choices`, each list under its name.

        | choices | | | |
        | --- | --- | --- | --- |
        | | list_name | name | label |
        | | yes_no | yes | Yes |
        | | yes_no | no | No |

        A new version of the form gets another `version`, for instance the day and a number.
        `shared::key` names the fields that together tell one entry from another.

        | settings | | | | |
        | --- | --- | --- | --- | --- |
        | | form_id | form_title | version | shared::key |
        | | \(form) | \(form) | 1 | day place |

        """
    }
}
