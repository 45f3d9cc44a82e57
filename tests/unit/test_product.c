#include "num/product.h"

#include "num/random.h"
#include "test.h"

enum { SIDE = 13, WIDTH = 20 };

// A random pattern, against the sum that the definition says.
static void it_is_the_sum_over_the_entries(void **state) {
  (void)state;
  Random random;
  random_seed(&random, 4);
  for (int round = 0; round < 50; round++)
    for (int width = 4; width <= WIDTH; width += 4) {
      int start[SIDE + 1] = {0}, column[SIDE * SIDE], count = 0;
      double value[SIDE * SIDE], in[SIDE * WIDTH], out[SIDE * WIDTH], right[SIDE * WIDTH];
      for (int i = 0; i < SIDE; i++) {
        for (int j = 0; j < SIDE; j++)
          if (random_uniform(&random) < 0.3)
            column[count] = j, value[count++] = random_normal(&random);
        start[i + 1] = count;
      }
      for (int k = 0; k < SIDE * width; k++)
        in[k] = random_normal(&random), out[k] = right[k] = random_normal(&random);
      for (int i = 0; i < SIDE; i++)
        for (int e = start[i]; e < start[i + 1]; e++)
          for (int k = 0; k < width; k++)
            right[i * width + k] += value[e] * in[column[e] * width + k];
      sparse_product()(&(Pattern){SIDE, SIDE, start, column}, value, in, width, out);
      for (int k = 0; k < SIDE * width; k++) assert_close(out[k], right[k], 1e-13);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_is_the_sum_over_the_entries),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
