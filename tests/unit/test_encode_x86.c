#include "code/encode_x86.h"

#include <string.h>

#include "test.h"

// Expected bytes: GNU assembler 2.40.
static void expect(const Encoder *e, const char *bytes, size_t count) {
  assert_int_equal(e->code.count, count);
  assert_memory_equal(e->code.at, bytes, count);
}

static void scalar_forms_are_as_short_as_they_can_be(void **state) {
  (void)state;
  Arena *arena = arena_new();
  Encoder e = encode_new(arena, WIDTH_SCALAR);
  encode_vector(&e, INST_ADD, 1, 2, place_register(3));
  expect(&e, "\xc5\xeb\x58\xcb", 4); // vaddsd xmm1, xmm2, xmm3
  e.code.count = 0;
  encode_vector(&e, INST_MUL, 9, 2, place_register(12)); // operands change places
  expect(&e, "\xc5\x1b\x59\xca", 4);                     // vmulsd xmm9, xmm12, xmm2
  e.code.count = 0;
  encode_vector(&e, INST_SUB, 9, 2, place_register(12)); // these must not
  expect(&e, "\xc4\x41\x6b\x5c\xcc", 5);                 // vsubsd xmm9, xmm2, xmm12
  e.code.count = 0;
  encode_vector(&e, INST_LOAD, 0, 0, place_memory(RBP, 0));
  expect(&e, "\xc5\xfb\x10\x45\x00", 5); // vmovsd xmm0, [rbp]
  e.code.count = 0;
  encode_vector(&e, INST_STORE, 15, 0, place_memory(R12, 1000));
  expect(&e, "\xc4\x41\x7b\x11\xbc\x24\xe8\x03\x00\x00", 10); // vmovsd [r12 + 1000], xmm15
  e.code.count = 0;
  encode_vector(&e, INST_FNMA231, 3, 4, place_memory(RSI, -128));
  expect(&e, "\xc4\xe2\xd9\xbd\x5e\x80", 6); // vfnmadd231sd xmm3, xmm4, [rsi - 128]
  e.code.count = 0;
  encode_vector_imm(&e, INST_ROUND, 1, 2, place_register(2), 9);
  expect(&e, "\xc4\xe3\x69\x0b\xca\x09", 6); // vroundsd xmm1, xmm2, xmm2, 9
  arena_free(arena);
}

static void wide_forms_have_their_length(void **state) {
  (void)state;
  Arena *arena = arena_new();
  Encoder e = encode_new(arena, WIDTH_YMM);
  encode_vector(&e, INST_SQRT, 1, 7, place_register(2));
  expect(&e, "\xc5\xfd\x51\xca", 4); // vsqrtpd ymm1, ymm2
  e.code.count = 0;
  encode_vector(&e, INST_BROADCAST, 8, 0, place_memory(RDI, 16));
  expect(&e, "\xc4\x62\x7d\x19\x47\x10", 6); // vbroadcastsd ymm8, [rdi + 16]
  arena_free(arena);
}

static void zmm_forms_count_distances_in_operands(void **state) {
  (void)state;
  Arena *arena = arena_new();
  Encoder e = encode_new(arena, WIDTH_ZMM);
  encode_vector(&e, INST_ADD, 17, 30, place_memory(R8, 64));
  expect(&e, "\x62\xc1\x8d\x40\x58\x48\x01", 7); // vaddpd zmm17, zmm30, [r8 + 64]
  e.code.count = 0;
  encode_vector(&e, INST_ADD, 1, 2, place_register(27));
  expect(&e, "\x62\x91\xed\x48\x58\xcb", 6); // vaddpd zmm1, zmm2, zmm27
  e.code.count = 0;
  X86Place one = place_memory(RSI, 24);
  one.is_broadcast = true;
  encode_vector(&e, INST_FMA213, 1, 2, one);
  expect(&e, "\x62\xf2\xed\x58\xa8\x4e\x03", 7); // vfmadd213pd zmm1, zmm2, [rsi + 24]{1to8}
  e.code.count = 0;
  encode_compare_k1(&e, 3, place_register(4), 0x11, true);
  expect(&e, "\x62\xf1\xe5\x49\xc2\xcc\x11", 7); // vcmplt_oqpd k1{k1}, zmm3, zmm4
  e.code.count = 0;
  encode_blend_k1(&e, 5, 6, place_register(7));
  expect(&e, "\x62\xf2\xcd\x49\x65\xef", 6); // vblendmpd zmm5{k1}, zmm6, zmm7
  arena_free(arena);
}

static void constants_lie_aligned_before_the_code(void **state) {
  (void)state;
  Arena *arena = arena_new();
  Encoder e = encode_new(arena, WIDTH_SCALAR);
  double one = 1, wide[4] = {1, 2, 3, 4};
  int at_one = encode_constant(&e, &one, sizeof one);
  int at_wide = encode_constant(&e, wide, sizeof wide);
  int at_two = encode_constant(&e, &wide[1], sizeof one);
  encode_vector(&e, INST_LOAD, 0, 0, place_pool(at_one));
  size_t count, entry;
  const uint8_t *image = encode_finish(&e, &count, &entry);
  assert_true(entry % 64 == 0 && at_wide % 32 == 0);
  assert_memory_equal(image + entry + at_one, &one, sizeof one);
  assert_memory_equal(image + entry + at_wide, wide, sizeof wide);
  assert_memory_equal(image + entry + at_two, &wide[1], sizeof one);
  int32_t distance;
  memcpy(&distance, image + count - sizeof distance, sizeof distance);
  assert_int_equal((int)(count - entry) + distance, at_one);
  arena_free(arena);
}

static void far_functions_stay_indirect_and_near_ones_do_not(void **state) {
  (void)state;
  Arena *arena = arena_new();
  Encoder e = encode_new(arena, WIDTH_SCALAR);
  assert_int_equal(encode_call(&e, place_pool(-8)), 0);
  assert_int_equal(e.code.count, CALL_BYTES);
  encode_near_call(e.code.at, (int64_t)1 << 31);
  expect(&e, "\xff\x15\xf2\xff\xff\xff", 6);
  encode_near_call(e.code.at, 0x01020304);
  expect(&e, "\x67\xe8\x04\x03\x02\x01", 6);
  arena_free(arena);
}

static void general_registers_are_encoded(void **state) {
  (void)state;
  Arena *arena = arena_new();
  Encoder e = encode_new(arena, WIDTH_SCALAR);
  encode_push(&e, R14), encode_pop(&e, RBX);
  expect(&e, "\x41\x56\x5b", 3);
  e.code.count = 0;
  encode_move(&e, R15, RDX), encode_move(&e, RSI, R8);
  expect(&e, "\x49\x89\xd7\x4c\x89\xc6", 6);
  e.code.count = 0;
  encode_move_imm(&e, RDX, 8), encode_move_imm(&e, RDI, 0x123456789abcdef0);
  expect(&e, "\xba\x08\x00\x00\x00\x48\xbf\xf0\xde\xbc\x9a\x78\x56\x34\x12", 15);
  e.code.count = 0;
  encode_address(&e, RSI, place_memory(R13, 0)), encode_address(&e, RDX, place_memory(RBX, 256));
  expect(&e, "\x49\x8d\x75\x00\x48\x8d\x93\x00\x01\x00\x00", 11);
  arena_free(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scalar_forms_are_as_short_as_they_can_be),
      cmocka_unit_test(wide_forms_have_their_length),
      cmocka_unit_test(zmm_forms_count_distances_in_operands),
      cmocka_unit_test(constants_lie_aligned_before_the_code),
      cmocka_unit_test(far_functions_stay_indirect_and_near_ones_do_not),
      cmocka_unit_test(general_registers_are_encoded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
