#include "fmu/fmu_closed.h"

#include <string.h>

#include "made_archive.h"

#define FMU(interfaces, structure)                                                                 \
  "<fmiModelDescription fmiVersion='2.0' modelName='M' guid='g'>" interfaces "<ModelVariables>"    \
  "<ScalarVariable name='x' valueReference='1' initial='exact'><Real start='1'/></ScalarVariable>" \
  "<ScalarVariable name='der(x)' valueReference='2'><Real derivative='1'/></ScalarVariable>"       \
  "</ModelVariables><ModelStructure>" structure "</ModelStructure></fmiModelDescription>"
#define ME "<ModelExchange modelIdentifier='M'/>"
#define CS "<CoSimulation modelIdentifier='M'/>"
#define LISTED "<Derivatives><Unknown index='2'/></Derivatives>"

// There is no binary in the archive: that is the end of what is right otherwise.
static void an_interface_that_cannot_serve_is_refused_with_the_reason(void **state) {
  MadeArchive *m = *state;
  static const struct {
    const char *xml;
    FmuWish wish;
    double step;
    const char *why;
  } CASES[] = {
      {FMU(ME CS, LISTED), FMU_ANY_INTERFACE, 0, "has no binaries"},
      {FMU(ME CS, ""), FMU_WISH_CS, 0, "has no binaries"},
      {FMU(ME CS, ""), FMU_ANY_INTERFACE, 0,
       "does not list its states: 'der(x)' is the derivative of 'x', but ModelStructure has no "
       "Derivatives; use interface: cs"},
      {FMU(ME, ""), FMU_WISH_ME, 0, "but ModelStructure has no Derivatives"},
      {FMU(CS, LISTED), FMU_WISH_ME, 0, "offers co-simulation only: interface: cs"},
      {FMU(ME, LISTED), FMU_WISH_CS, 0, "offers model exchange only: interface: me"},
      {FMU(ME, LISTED), FMU_WISH_ME, 0.1, "'step' and 'tolerance' are those of co-simulation"},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    Err err = {0};
    made_archive_begin(m, "m.fmu");
    made_archive_add(m, "modelDescription.xml", CASES[i].xml);
    made_archive_end(m);
    FmuRequest q = {.path = m->path, .interface = CASES[i].wish, .step = CASES[i].step};
    assert_null(fmu_closed_open(&q, &err));
    if (!strstr(err.text, CASES[i].why)) fail_msg("case %zu: %s", i, err.text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(an_interface_that_cannot_serve_is_refused_with_the_reason,
                                      made_archive_setup, made_archive_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
