// modelDescription.xml of a test FMU.
#pragma once
#include <stdio.h>

void describe(FILE *out, int fmi); // 2 or 3
