// Any text as a model, and a simulation of what is accepted, long enough for many events: nothing may crash or run away.
// The number of events has its default limit; a model that hangs at an event is found by the time-out of tools/fuzz.
#include <stddef.h>
#include <stdint.h>

#include "entrain.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void simulate(EntrainModel *model) {
  EntrainError error = {.size = sizeof error};
  EntrainOptions *options = entrain_options_new();
  entrain_options_set(options, "max_steps", "2000", &error);
  EntrainSimulation *simulation = entrain_simulation_new(model, options, &error);
  bool ready = simulation && entrain_simulation_grid(simulation, 0, 10, 0.75, &error);
  if (ready) entrain_result_free(entrain_simulation_run(simulation, &error));
  if (ready && entrain_simulation_sensitivities(simulation, NULL, 0, &error))
    entrain_result_free(entrain_simulation_run(simulation, &error));
  entrain_simulation_free(simulation);
  entrain_options_free(options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  EntrainError error = {.size = sizeof error};
  EntrainModel *model = entrain_model_parse("<fuzz>", (const char *)data, size, &error);
  if (model) {
    for (int report = ENTRAIN_REPORT_SUMMARY; report <= ENTRAIN_REPORT_DOT; report++)
      entrain_text_free(entrain_model_report(model, (EntrainReport)report));
    simulate(model);
  }
  entrain_model_free(model);
  return 0;
}
