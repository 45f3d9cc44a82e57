// Text with numbers as in the locale "C", whatever the host program has chosen with setlocale or uselocale: the decimal
// point is a point. All texts of the library are made and read by these; tools/lint refuses the plain functions.
#pragma once
#include <locale.h>
#include <stdarg.h>
#include <stddef.h>

locale_t c_locale(void); // never fails, takes no memory
int c_snprintf(char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int c_vsnprintf(char *out, size_t size, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));
double c_strtod(const char *text, char **end);
