import CArguments
import Glibc

// Forms as files of other programs: read, checked, guessed and written. `shared` starts it for one
// file and waits for its answer; no bytes of a foreign file are read in the daemon or the command.
let words = (0..<share_argument_count()).compactMap { index in
    share_argument(index).map { String(cString: $0) }
}
exit(FormTool.run(Array(words.dropFirst())))
