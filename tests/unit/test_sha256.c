// The test vectors of the standard (FIPS 180-2, appendix B, and NIST's examples), and laws.
#include "base/sha256.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"

static void assert_hash(const char *text, size_t length, const char *expected) {
  char out[SHA256_TEXT];
  Sha256 h = sha256_of(text, length);
  assert_string_equal(sha256_print(&h, out), expected);
}

static void the_vectors_of_the_standard(void **state) {
  (void)state;
  static const char *const ROWS[][2] = {
      {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
      {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
       "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
       "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"}};
  for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
    assert_hash(ROWS[i][0], strlen(ROWS[i][0]), ROWS[i][1]);
  enum { MILLION = 1000000 };
  char *many = malloc(MILLION);
  memset(many, 'a', MILLION);
  assert_hash(many, MILLION, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  free(many);
}

// The padding takes another block from 56 bytes on: letters a, compared with sha256sum of coreutils.
static void lengths_around_the_ends_of_blocks(void **state) {
  (void)state;
  char text[200];
  memset(text, 'a', sizeof text);
  static const struct {
    size_t length;
    const char *hash;
  } ROWS[] = {
      {55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
      {56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"},
      {63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"},
      {64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
      {65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"},
      {119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"},
      {120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"},
      {128, "6836cf13bac400e9105071cd6af47084dfacad4e5e302c94bfed24e013afb73e"},
  };
  for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
    assert_hash(text, ROWS[i].length, ROWS[i].hash);
}

static void pieces_make_the_same_hash_as_the_whole(void **state) {
  (void)state;
  char text[300];
  for (size_t i = 0; i < sizeof text; i++) text[i] = (char)(i * 37 % 251);
  for (size_t length = 0; length <= sizeof text; length += 13)
    for (size_t piece = 1; piece < 140; piece++) {
      Sha256Work w;
      Sha256 whole = sha256_of(text, length), parts;
      sha256_begin(&w);
      for (size_t at = 0; at < length; at += piece)
        sha256_add(&w, text + at, length - at < piece ? length - at : piece);
      parts = sha256_end(&w);
      assert_true(sha256_equal(&whole, &parts));
    }
}

static void a_changed_bit_changes_the_hash(void **state) {
  (void)state;
  char text[] = "der(x) = -k*x;";
  Sha256 before = sha256_of(text, sizeof text);
  for (size_t i = 0; i < 8 * sizeof text; i++) {
    text[i / 8] = (char)(text[i / 8] ^ 1 << i % 8);
    Sha256 after = sha256_of(text, sizeof text);
    assert_false(sha256_equal(&before, &after));
    text[i / 8] = (char)(text[i / 8] ^ 1 << i % 8);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_vectors_of_the_standard),
      cmocka_unit_test(lengths_around_the_ends_of_blocks),
      cmocka_unit_test(pieces_make_the_same_hash_as_the_whole),
      cmocka_unit_test(a_changed_bit_changes_the_hash),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
