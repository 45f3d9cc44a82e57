// Fast conversion of doubles to text: the fewest digits that read back as the same number.
#pragma once

enum { DIGITS_SIZE = 32 };

// 0.1, 12345, 1e-07. The number must be finite.
void digits_format(double value, char out[DIGITS_SIZE]);
