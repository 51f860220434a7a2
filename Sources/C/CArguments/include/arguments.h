// The words of the command line as the kernel handed them over. Swift's own `CommandLine` reads
// them from /proc, and has none where that is not mounted.
#pragma once

/// How many there are, the program's name among them.
int share_argument_count(void);

/// One of them, NULL behind the last; it stays for as long as the process lives.
const char *share_argument(int index);

/// The path that the program was started by; NULL where the kernel does not tell.
const char *share_program_path(void);
