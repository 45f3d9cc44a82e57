// Reads an XML text into a tree of elements with attributes and places. expat is used here only.
//
// The text is a stranger's: document types, and with them all declared entities, are refused; nesting, the number of elements
// and the bytes of attributes are limited. Text between the elements is dropped, and elements of other name spaces stay under
// the names they have in the file (a:b).
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

enum {
  XML_DEPTH_MOST = 100,         // elements inside each other
  XML_ELEMENTS_MOST = 10000000, // in a whole text
  XML_VALUE_MOST = 64 << 20,    // bytes of an attribute; lists of start values are long
};

typedef struct XmlAttribute {
  const char *name,
      *value; // white space in values is as XML makes it: tabs and line ends are blanks
} XmlAttribute;

typedef struct XmlElement XmlElement;
struct XmlElement {
  const char *name;
  int line, column;
  int attribute_count;
  const XmlAttribute *attributes;
  XmlElement *first, *last, *next; // first and last child, next sibling
};

// The root element. skipped: names of elements that are left out with all that is inside, up to a NULL. NULL and err with
// file:line:column if the text is not well-formed or a limit is reached. Neither the text nor file is kept.
XmlElement *xml_parse(Arena *a, const char *file, const char *text, size_t length,
                      const char *const *skipped, Err *err);

const char *xml_attribute(const XmlElement *e, const char *name); // NULL: absent
// The first child of this name, NULL: none. e may be NULL.
const XmlElement *xml_child(const XmlElement *e, const char *name);
