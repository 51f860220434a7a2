// Avahi's dns_sd layer, and the allocator that keeps it from crashing.
#pragma once
#include <avahi-common/malloc.h>
#include <dns_sd.h>
