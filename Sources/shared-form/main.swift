import Glibc

// Forms as files of other programs: read, checked, guessed and written. `shared` starts it for one
// file and waits for its answer; no bytes of a foreign file are read in the daemon or the command.
exit(FormTool.run(Array(CommandLine.arguments.dropFirst())))
