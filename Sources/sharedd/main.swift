import CArguments
import Dispatch
import Glibc
import ShareNode

// Without Foundation, which would add megabytes to every start for one dictionary.
var environment: [String: String] = [:]
for name in DaemonOptions.variables {
    environment[name] = getenv(name).map { String(cString: $0) }
}
let words = (0..<share_argument_count()).compactMap { index in
    share_argument(index).map { String(cString: $0) }
}
switch Daemon.start(Array(words.dropFirst()), environment: environment) {
case .answered(let code): exit(code)
case .run(let options):
    Task.detached { exit(await Daemon.run(options)) }
    dispatchMain()
}
