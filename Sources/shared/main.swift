import Glibc

// `CommandLine.arguments` puts U+FFFD where bytes are not UTF-8; a record would then hold what
// nobody typed.
let words = (0..<Int(CommandLine.argc)).map { index in
    CommandLine.unsafeArgv[index].flatMap { String(validatingCString: $0) }
}
exit(Tool.run(words))
