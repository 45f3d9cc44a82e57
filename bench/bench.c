// The benchmark: entrain against hand-written C, CVODES and SciPy in one run. Prints tables, writes bench/results.md.
// Every time is the least CPU time of repeated measurements in which the competitors take turns.
// usage, from the root of the project: build/bench/bench [-v]
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sundials/sundials_version.h>

#include "hand/check.h"
#include "lib/adapter.h"
#include "lib/sections.h"

static void processor_name(char *out, int size) {
  FILE *f = fopen("/proc/cpuinfo", "r");
  char line[256];
  snprintf(out, (size_t)size, "unknown");
  while (f && fgets(line, sizeof line, f))
    if (!strncmp(line, "model name", 10)) {
      snprintf(out, (size_t)size, "%s", strchr(line, ':') + 2);
      out[strcspn(out, "\n")] = 0;
      break;
    }
  if (f) fclose(f);
}

static void check_comparators(Table *t) {
  const HandModel *all[] = {&HAND_PENDULUM, &HAND_VDPD,      &HAND_TWO_DOF,  &HAND_ROBERTSON,
                            &HAND_HIRES,    &HAND_POLLUTION, &HAND_NETWORK14};
  for (int i = 0; i < 7; i++)
    if (!(hand_check(all[i]) < 1e-6)) {
      table_text(t, "The comparator %s is WRONG: derivatives differ by %.1e\n", all[i]->name,
                 hand_check(all[i]));
      exit(3);
    }
}

static void write_head(FILE *f) {
  char processor[128], date[32];
  time_t now = time(NULL);
  processor_name(processor, sizeof processor);
  strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
  fprintf(f,
          "# Benchmark\n\nWritten by `make bench`; every figure is from one run. Times are the "
          "least CPU time of repeated\n"
          "measurements in which the competitors take turns.\n\n- date: %s\n- processor: %s\n",
          date, processor);
}

static void write_versions(FILE *f, const Scipy *scipy) {
  char sundials[32];
  SUNDIALSGetVersion(sundials, sizeof sundials);
  fprintf(
      f, "\n## Versions\n\nentrain %s; gcc %s; SUNDIALS %s (Debian); SciPy and NumPy %s (Debian)\n",
      bench_version(), __VERSION__, sundials, scipy->version);
}

// The folder of the program, in which make has written the network of 500 states.
static void folder_of(const char *program, char *out, int size) {
  const char *slash = strrchr(program, '/');
  snprintf(out, (size_t)size, "%.*s", slash ? (int)(slash - program) : 1, slash ? program : ".");
}

int main(int count, char **words) {
  bool verbose = count > 1 && !strcmp(words[1], "-v");
  char folder[400];
  Scipy scipy = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, "not found"};
  static const char FINAL[] = "bench/results.md", GROWING[] = "bench/results.md.new";
  FILE *f = fopen(GROWING, "w"); // replaces the old file when it is complete
  if (!f)
    return fprintf(stderr,
                   "bench: cannot write bench/results.md (run it from the root of the project)\n"),
           2;
  Table *t = table_new(f);
  int met, missed;
  folder_of(words[0], folder, sizeof folder);
  write_head(f);
  check_comparators(t);
  section_rhs(t);
  section_compile(t, folder);
  section_simulate(t, &scipy);
  section_lanes(t);
  section_stiff(t, verbose);
  write_versions(f, &scipy);
  table_counts(t, &met, &missed);
  table_text(t, "\nGoals met: %d, missed: %d.\n", met, missed);
  table_free(t);
  bool written = fclose(f) == 0 && rename(GROWING, FINAL) == 0;
  return written ? 0 : 2;
}
