// Where classes come from: the file that was asked for, folders of libraries, and what the program brings along. Only
// files that are needed are read.
#pragma once
#include "lang/class.h"

typedef struct Library Library;

// All of it lives in the arena. Folders are searched in the order in which they are added.
Library *library_new(Arena *a);
void library_add_folder(Library *l, const char *folder);
// MODELICAPATH of the environment (names separated by ':'). The library of the program itself comes last, always.
void library_add_defaults(Library *l);
// The text becomes source number 0; its classes are found before those of the folders.
AstFile *library_add_text(Library *l, const Source *s, Err *err);
// The file of the text may be a part of a library: its folder is then searched first.
void library_place(Library *l, const char *path, AstFile *f);
const Source *library_source(const Library *l); // the first one, which knows all others

// A class at the top, NULL if there is none or it cannot be read (then err).
AstClass *library_top(Library *l, const char *name, Err *err);
// The element `name` of a class, read from its folder if need be; NULL if there is none.
const AstElement *library_element(Library *l, AstClass *c, const char *name, Err *err);
// The file that a modelica://Package/path names, NULL if the package is not stored as a folder.
const char *library_resource(Library *l, const char *uri, Err *err);
// For messages: names that could have been meant.
const char *library_nearest(Library *l, AstClass *c, const char *name);
// How the folder of a library is searched, for messages.
const char *library_places(Library *l);
