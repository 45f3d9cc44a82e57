// Time that passes, for reports.
#pragma once

double clock_seconds(void); // since some fixed moment
