// libzip: archives in memory.
#pragma once
#include <zip.h>
