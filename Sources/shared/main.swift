import CArguments
import Glibc

// A word that is not UTF-8 is none: mended with U+FFFD a record would hold what nobody typed.
let words = (0..<share_argument_count()).map { index in
    share_argument(index).flatMap { String(validatingCString: $0) }
}
exit(Tool.run(words))
