#include "global_laws.h"

int main(void) {
  method = global_pso;
  const struct CMUnitTest tests[] = {
      GLOBAL_LAWS,
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
