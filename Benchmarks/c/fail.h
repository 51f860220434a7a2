/* A benchmark that meets an error has no figure to tell: it says why and ends. */
#ifndef FAIL_H
#define FAIL_H

#include <stdio.h>
#include <stdlib.h>

#define fail(...)                        \
    do {                                 \
        fprintf(stderr, "path: error: "); \
        fprintf(stderr, __VA_ARGS__);    \
        fputc('\n', stderr);             \
        exit(1);                         \
    } while (0)

#endif
