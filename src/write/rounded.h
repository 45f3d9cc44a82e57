// Numbers rounded to their significant digits, for reports.
#pragma once

enum { ROUNDED_SIZE = 40, ROUNDED_INTERVAL_SIZE = 2 * ROUNDED_SIZE + 8 };

// value rounded to two digits of its error: 10.0002 for an error of 0.0018, 1672884002.7034 as well. If the error is
// unknown, not positive or tiny: DIGITS_MOST digits.
void rounded_value(double value, double error, char out[ROUNDED_SIZE]);
void rounded_error(double error, char out[ROUNDED_SIZE]); // two digits, zeros included: 0.010
// At most so many significant digits, no zeros at the end: 0.0018, 1.2e-7, 12300. NaN is "-".
void rounded_digits(double value, int digits, char out[ROUNDED_SIZE]);
// low .. high with the digits that their difference needs; "± half" if that takes more than INTERVAL_MOST digits.
void rounded_interval(double value, double low, double high, char out[ROUNDED_INTERVAL_SIZE]);
// 950 us, 3.1 ms, 2.4 s, 3 min 20 s
void rounded_seconds(double seconds, char out[ROUNDED_SIZE]);
