internal import ShareControl

/// `shared completion`
enum CompletionCommand: Command {
    static let syntax = CommandSyntax(
        name: "completion", summary: "print what lets a shell complete words",
        operands: [.init(name: "bash|zsh|fish")], takesRoom: false,
        notes: [
            "Commands, options, forms, fields, choices, rooms and devices. `make install` and the",
            "package put it in place; else let the shell read it when it starts.",
        ],
        examples: ["shared completion bash", "eval \"$(shared completion zsh)\""])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let shells = ["bash": bash, "zsh": zsh, "fish": fish]
        guard let script = shells[session.arguments.operand(0)] else {
            throw syntax.problem("'bash', 'zsh' or 'fish' was expected")
        }
        session.output.line(script)
        return .done
    }

    private static let bash = """
        # Completion of `shared` for bash.
        _shared() {
            local IFS=$'\\n'
            local -a words
            local line=${COMP_LINE:0:COMP_POINT}
            IFS=' ' read -r -a words <<<"$line"
            [[ $line == *' ' ]] && words+=("")
            COMPREPLY=($("${words[0]}" __complete "${words[@]:1}" 2>/dev/null))
            # bash ends words at = and :, and puts in what follows the last of them.
            local begun=${words[-1]} kept
            if [[ $begun == *=* && $COMP_WORDBREAKS == *=* ]]; then
                kept=${begun%=*}=
                COMPREPLY=("${COMPREPLY[@]#"$kept"}")
            fi
            [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace
        }
        complete -o default -F _shared shared
        """

    private static let zsh = """
        #compdef shared
        # Completion of `shared` for zsh.
        _shared() {
            local -a found
            found=("${(@f)$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
            compadd -Q -S ' ' -- ${found:#*=}
            compadd -Q -S '' -- ${(M)found:#*=}
            [[ -n $found ]] || _files
        }
        compdef _shared shared 2>/dev/null
        """

    private static let fish = """
        # Completion of `shared` for fish.
        function __shared_complete
            set -l words (commandline -opc) (commandline -ct)
            set -l found ($words[1] __complete $words[2..-1] 2>/dev/null)
            if test (count $found) -gt 0
                printf '%s\\n' $found
            else
                __fish_complete_path (commandline -ct)
            end
        end
        complete -c shared -f -a '(__shared_complete)'
        """
}
