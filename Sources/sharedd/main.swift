import FoundationEssentials
import Glibc
import ShareNode

let code = await Daemon.run(
    Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment)
exit(code)
