/* Preloaded into sharedd: lets one system call on a file below $FAULT_FOLDER fail, the one after
   $FAULT_AFTER that went well, with $FAULT_ERRNO; a write is cut in half first where that is ENOSPC.
   Says so in $FAULT_TOLD. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long left = -1;
static int code;
static char folder[4096], told[4096];

__attribute__((constructor)) static void begin(void) {
    const char *after = getenv("FAULT_AFTER"), *error = getenv("FAULT_ERRNO");
    const char *where = getenv("FAULT_FOLDER"), *tell = getenv("FAULT_TOLD");
    if (!after || !error || !where || !tell) return;
    snprintf(folder, sizeof folder, "%s", where);
    snprintf(told, sizeof told, "%s", tell);
    code = atoi(error);
    left = atol(after);
}

static int turn(const char *call, const char *path) {
    if (left < 0 || strncmp(path, folder, strlen(folder)) != 0) return 0;
    if (atomic_fetch_sub(&left, 1) != 0) return 0;
    int (*open_)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
    int file = open_(told, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (file >= 0) {
        dprintf(file, "%s %s\n", call, path + strlen(folder));
        close(file);
    }
    errno = code;
    return 1;
}

static int turn_of(const char *call, int file) {
    if (left < 0) return 0;
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t count = readlink(link, path, sizeof path - 1);
    if (count < 0) return 0;
    path[count] = 0;
    return turn(call, path);
}

#define REAL(name, ...) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))(__VA_ARGS__)

static int opened(const char *name, const char *path, int flags, mode_t mode) {
    if (turn("open", path)) return -1;
    return ((int (*)(const char *, int, ...))dlsym(RTLD_NEXT, name))(path, flags, mode);
}
#define OPEN(name)                                                                                 \
    int name(const char *path, int flags, ...) {                                                   \
        va_list rest;                                                                              \
        va_start(rest, flags);                                                                     \
        mode_t mode = va_arg(rest, mode_t);                                                        \
        va_end(rest);                                                                              \
        return opened(#name, path, flags, mode);                                                   \
    }
OPEN(open)
OPEN(open64)

ssize_t read(int file, void *bytes, size_t count) {
    return turn_of("read", file) ? -1 : REAL(read, file, bytes, count);
}
ssize_t pread64(int file, void *bytes, size_t count, off64_t at) {
    return turn_of("pread", file) ? -1 : REAL(pread64, file, bytes, count, at);
}
ssize_t write(int file, const void *bytes, size_t count) {
    if (!turn_of("write", file)) return REAL(write, file, bytes, count);
    if (code == ENOSPC && count > 1) return REAL(write, file, bytes, count / 2);
    return -1;
}
ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t at) {
    if (!turn_of("pwrite", file)) return REAL(pwrite64, file, bytes, count, at);
    if (code == ENOSPC && count > 1) return REAL(pwrite64, file, bytes, count / 2, at);
    return -1;
}
int fsync(int file) { return turn_of("fsync", file) ? -1 : REAL(fsync, file); }
int fdatasync(int file) { return turn_of("fdatasync", file) ? -1 : REAL(fdatasync, file); }
int ftruncate64(int file, off64_t size) {
    return turn_of("ftruncate", file) ? -1 : REAL(ftruncate64, file, size);
}
int unlink(const char *path) { return turn("unlink", path) ? -1 : REAL(unlink, path); }
int rename(const char *from, const char *to) {
    return turn("rename", to) ? -1 : REAL(rename, from, to);
}
