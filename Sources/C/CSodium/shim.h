// libsodium: Ed25519, BLAKE2b, ristretto255. No wrapper is needed.
#pragma once
#include <sodium.h>
