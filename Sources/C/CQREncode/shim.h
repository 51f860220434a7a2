// libqrencode: QR symbols (ISO/IEC 18004).
#pragma once
#include <qrencode.h>
