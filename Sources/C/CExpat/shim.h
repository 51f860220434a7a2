// expat: XML as events.
#pragma once
#include <expat.h>
