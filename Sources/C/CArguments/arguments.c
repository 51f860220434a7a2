#include "arguments.h"

#include <stddef.h>
#include <sys/auxv.h>

static int count;
static char **words;

// The C library hands what `main` gets to functions that run before it, too; Swift writes `main`
// itself and keeps nothing of it.
__attribute__((constructor)) static void keep(int argc, char **argv) {
    count = argc;
    words = argv;
}

int share_argument_count(void) { return count; }

const char *share_argument(int index) {
    return index >= 0 && index < count ? words[index] : NULL;
}

const char *share_program_path(void) { return (const char *)getauxval(AT_EXECFN); }
