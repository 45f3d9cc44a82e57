// Reads JSON (RFC 8259) into a tree of values with their places. Strict: nothing before or after the value, no comments, no
// commas too many, no key twice, numbers that a double can hold.
#pragma once
#include "base/array.h"
#include "base/err.h"

enum { JSON_TREE_DEPTH_MOST = 100 }; // lists and objects inside each other

typedef enum JsonKind {
  JSON_NULL,
  JSON_FLAG,
  JSON_NUMBER,
  JSON_TEXT,
  JSON_LIST,
  JSON_MAP
} JsonKind;

typedef struct JsonTree JsonTree;
struct JsonTree {
  JsonKind kind;
  double number;    // of a number; a flag: 0 or 1
  const char *text; // of a text, in UTF-8; an escaped NUL is an error
  const char *key;  // inside an object, else NULL
  Place at;         // columns count characters
  ARRAY(JsonTree *) items;
};

// NULL and err with a place if the text is not JSON. The text must be UTF-8 and end in NUL; it is not kept, file is.
JsonTree *json_parse(Arena *a, const char *file, const char *text, Err *err);
JsonTree *json_find(const JsonTree *map, const char *key); // NULL: absent, or not an object
