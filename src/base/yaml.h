// YAML as a tree of texts, lists and mappings that know their places; and changes to it by path.
//
// Values are texts: what is a number or true is for the reader to say. Aliases are replaced by copies of what they stand
// for. Tags, merge keys and keys that are no texts are refused.
#pragma once
#include "base/array.h"
#include "base/err.h"

enum {
  YAML_DEPTH_MOST = 40,     // mappings and lists inside each other
  YAML_NODES_MOST = 200000, // of a whole file, copies by aliases included
  YAML_BYTES_MOST = 16 << 20,
};

typedef enum YamlKind { YAML_TEXT, YAML_LIST, YAML_MAP } YamlKind;

typedef struct Yaml Yaml;
struct Yaml {
  YamlKind kind;
  bool quoted;
  const char *text; // "" unless it is a text
  Place at;         // line 0: it comes from a setting, which is named by the file
  const char *key;  // inside a mapping, else NULL
  Place key_at;
  ARRAY(Yaml *) items; // of a list or mapping, in the order of the file
};

// NULL and err with a place when it is no such tree, or an empty file. The text need not end in NUL; it and file are
// not kept.
Yaml *yaml_parse(Arena *a, const char *file, const char *text, size_t length, Err *err);

Yaml *yaml_find(const Yaml *map, const char *key); // NULL when absent, or no mapping
bool yaml_is_null(const Yaml *n);                  // NULL, or nothing at all, ~, null
// [a, b] becomes {a: , b: }, in place. Nothing happens to what is no list of texts. False when a name stands there twice.
bool yaml_list_to_map(Arena *a, Yaml *n, Err *err);

// Which key of a mapping a mere text stands for: p: 15 under estimate means p: {start: 15}.
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

// Puts a value at a path such as estimate.p.start or experiments.0.window, making keys that are missing; a list of one
// and the thing itself are the same on the way. The value is a text, or a list or mapping in brackets. `place` is what
// messages about it will name.
bool yaml_set(Arena *a, Yaml *root, const char *path, const char *value, const char *place,
              const YamlSchema *schema, Err *err);
