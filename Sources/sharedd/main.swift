import CArguments
import Dispatch
import Glibc
import ShareNode

// Without Foundation, which would add megabytes to every start for one dictionary.
var environment: [String: String] = [:]
// What is not UTF-8 is refused: mended it would name another folder, and begin a new identity there.
func refuse(_ what: String) -> Never {
    let line =
        "sharedd: \(what) is not UTF-8 text; see whether the terminal is set to UTF-8: locale\n"
    _ = Array(line.utf8).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    exit(2)
}
for name in DaemonOptions.variables {
    guard let value = getenv(name) else { continue }
    guard let text = String(validatingCString: value) else { refuse(name) }
    environment[name] = text
}
let words = (0..<share_argument_count()).compactMap { index -> String? in
    guard let word = share_argument(index) else { return nil }
    guard let text = String(validatingCString: word) else { refuse("an argument") }
    return text
}
switch Daemon.start(Array(words.dropFirst()), environment: environment) {
case .answered(let code): exit(code)
case .run(let options):
    Task.detached { exit(await Daemon.run(options)) }
    dispatchMain()
}
