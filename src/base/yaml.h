// Reads YAML into a tree of texts, lists and mappings with their places, and changes it by path.
//
// All values are texts: the caller converts numbers and flags. Aliases are replaced by copies of their values. Tags, merge
// keys and keys that are not texts are errors.
#pragma once
#include "base/array.h"
#include "base/err.h"

enum {
  YAML_DEPTH_MOST = 40,     // mappings and lists inside each other
  YAML_NODES_MOST = 200000, // in a whole file, including copies by aliases
  YAML_BYTES_MOST = 16 << 20,
};

typedef enum YamlKind { YAML_TEXT, YAML_LIST, YAML_MAP } YamlKind;

typedef struct Yaml Yaml;
struct Yaml {
  YamlKind kind;
  bool quoted;
  const char *text; // "" unless it is a text
  Place at;         // line 0: it comes from a setting, which at.file names
  const char *key;  // inside a mapping, else NULL
  Place key_at;
  ARRAY(Yaml *) items; // of a list or mapping, in the order of the file
};

// NULL and err with a place if the text is not such a tree, or empty. The text need not end in NUL; it and file are not
// kept.
Yaml *yaml_parse(Arena *a, const char *file, const char *text, size_t length, Err *err);

Yaml *yaml_find(const Yaml *map, const char *key); // NULL: absent, or not a mapping
bool yaml_is_null(const Yaml *n);                  // NULL, or nothing at all, ~, null
// ~ or null: it says that its key is absent. Nothing at all may mean a name without a value, as in {a: , b: }.
bool yaml_is_absent(const Yaml *n);
// Changes [a, b] to {a: , b: }, in place; leaves all else as it is. false: a name occurs twice.
bool yaml_list_to_map(Arena *a, Yaml *n, Err *err);

// The key of a mapping that a plain text is short for: p: 15 under estimate means p: {start: 15}.
typedef struct YamlShort {
  const char *parent; // key of the mapping around it, NULL: any
  const char *own;    // its own key, NULL: any
  const char *key;
} YamlShort;

typedef struct YamlSchema {
  const char *const *dotted; // keys that contain dots, such as theta.start
  int dotted_count;
  const YamlShort *shorts;
  int short_count;
} YamlSchema;

// Sets the value at a path such as estimate.p.start or experiments.0.window, and adds missing keys. A path may treat a list
// of one as its element, and the other way round. The value is a list or mapping in brackets or a text in quotes, as in a file, or
// else a plain text. ~ and null replace whatever is there. Messages about it name `place`.
bool yaml_set(Arena *a, Yaml *root, const char *path, const char *value, const char *place,
              const YamlSchema *schema, Err *err);
