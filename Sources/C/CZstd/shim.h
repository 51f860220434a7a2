// zstd: what is declared for static linking only is not used.
#pragma once
#include <zstd.h>
#include <zstd_errors.h>
