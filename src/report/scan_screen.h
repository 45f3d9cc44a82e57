// A picture of a scan for a terminal.
#pragma once
#include "study/scan.h"
#include "write/page.h"

void scan_screen(Text *out, const ObjectiveScan *s, int height, PageStyle style);
