#include "html/private_folders.h"

#include "html_tags.h"
#include "num/random.h"
#include "write/html.h"

static const char *hidden(Arena *a, const char *html, const PrivateFolders *f) {
  Text t;
  text_init(&t);
  text_add(&t, html);
  private_folders_hide(&t, 0, f);
  const char *copy = arena_copy(a, t.at, t.length);
  assert_int_equal(strlen(t.at), t.length);
  text_done(&t);
  return copy;
}

static const PrivateFolders USUAL = {.problem = "/data/plant",
                                     .former = "/old/plant",
                                     .present = "/users/anna/work",
                                     .home = "/users/anna"};

static void folders_are_taken_out_where_a_path_begins(void **state) {
  (void)state;
  static const char *const CASES[][2] = {
      {"cannot read &#39;/data/plant/a.csv&#39;", "cannot read &#39;a.csv&#39;"},
      {"<p>/users/anna/work/p.yaml: fine</p>", "<p>p.yaml: fine</p>"},
      {"/users/anna/work", "."},
      {"/users/anna/other/p.yaml", "~/other/p.yaml"},
      {"in /users/anna.", "in ~."},
      {"/users/anna", "~"},
      {"--set data=/users/anna/work/x.csv,y=/old/plant/b.csv", "--set data=x.csv,y=b.csv"},
      {"\"/data/plant/x\"", "\"x\""},
      {"//data/plant/x", "/x"},
      // other paths
      {"/users/annabel/x /users/anna2/x /users/anna_b/x",
       "/users/annabel/x /users/anna2/x /users/anna_b/x"},
      {"/data/plants/x", "/data/plants/x"},
      {"/srv/data/plant/x", "/srv/data/plant/x"},
      {"../users/anna/x", "../users/anna/x"},
      {"no folder", "no folder"},
      {"", ""},
  };
  Arena *a = arena_new();
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
    assert_string_equal(hidden(a, CASES[i][0], &USUAL), CASES[i][1]);
  arena_free(a);
}

// A process whose folder is the root, or whose home is called like an element, does not spoil the page.
static void tags_are_never_taken_for_folders(void **state) {
  (void)state;
  static const char PAGE[] = "<h2>a</h2>\n<p>b // c</p>\n<a href=\"#x\">/</a>";
  static const char *const FOLDERS[] = {"/", "", "/h2", "/p", "/a", "//", "relative", NULL};
  Arena *a = arena_new();
  for (size_t i = 0; i < sizeof FOLDERS / sizeof *FOLDERS; i++) {
    PrivateFolders f = {.problem = FOLDERS[i], .present = FOLDERS[i], .home = FOLDERS[i]};
    assert_string_equal(hidden(a, PAGE, &f), PAGE);
  }
  arena_free(a);
}

static void what_stands_before_stays(void **state) {
  (void)state;
  Text t;
  text_init(&t);
  text_add(&t, "/data/plant/x /data/plant/y");
  private_folders_hide(&t, 13, &USUAL);
  assert_string_equal(t.at, "/data/plant/x y");
  text_done(&t);
}

// Folders may have any name, and stand in texts and in strings of JSON.
static void any_folder_is_found_as_it_is_escaped(void **state) {
  (void)state;
  Random r;
  random_seed(&r, 6);
  for (int n = 0; n < 3000; n++) {
    Arena *a = arena_new();
    static const char LETTERS[] = "abz019 <>&\"'\\_-.~%$\x01\x1b\xc3\xa4\xff";
    char folder[40] = "/home", *at = folder + 5;
    for (int parts = 1 + (int)(2 * random_uniform(&r)); parts > 0; parts--) {
      *at++ = '/';
      for (int k = 1 + (int)(8 * random_uniform(&r)); k > 0; k--)
        *at++ = LETTERS[(size_t)((sizeof LETTERS - 1) * random_uniform(&r))];
      *at++ = 'q';
    }
    *at = 0;
    const char *path = arena_print(a, "%s/file.csv", folder);
    Text t;
    text_init(&t);
    text_add(&t, "<p title=\"");
    html_attribute(&t, path);
    text_add(&t, "\">");
    html_text(&t, path);
    text_add(&t, "</p><code>");
    html_json_string(&t, path);
    text_add(&t, "</code>");
    bool home = random_uniform(&r) < 0.5;
    PrivateFolders f = {.present = home ? NULL : folder, .home = home ? folder : NULL};
    private_folders_hide(&t, 0, &f);
    assert_string_equal(t.at,
                        home ? "<p title=\"~/file.csv\">~/file.csv</p><code>\"~/file.csv\"</code>"
                             : "<p title=\"file.csv\">file.csv</p><code>\"file.csv\"</code>");
    text_done(&t);
    arena_free(a);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(folders_are_taken_out_where_a_path_begins),
      cmocka_unit_test(tags_are_never_taken_for_folders),
      cmocka_unit_test(what_stands_before_stays),
      cmocka_unit_test(any_folder_is_found_as_it_is_escaped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
