// Monotonic time, for reports and time limits.
#pragma once

double clock_seconds(void); // since an arbitrary fixed moment
