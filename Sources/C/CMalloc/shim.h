// glibc's own tuning of its allocator.
#pragma once
#include <malloc.h>
