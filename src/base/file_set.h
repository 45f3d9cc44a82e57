// The files that a problem was read from: paths, content and hashes. Reading notes them in a set; later the set serves them
// where these files do not exist.
//
// A thread begins a use of a set around what reads files. Noting: reading works as always, and everything that is found is
// added. Serving: files, folders and values of the environment are those of the set, no file system is asked, and what is not
// in the set does not exist. The functions of base/file.h ask the innermost use of their thread; what a noting use does not
// have yet comes from the use around it. A use ends before the fiber that began it waits.
//
// Paths are compared as text, without ".", "//" and "a/..": relative and absolute ones differ, and links are not known.
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/array.h"
#include "base/err.h"
#include "base/sha256.h"

typedef enum FileKind { // what a path leads to
  FILE_ABSENT,
  FILE_REGULAR,
  FILE_FOLDER,
  FILE_OTHER // a pipe or a device, of which content may be read
} FileKind;

typedef struct NotedFile {
  const char *path; // shortened as above
  FileKind kind;
  // Executed, or what is executed depends on it: the content is never kept, only its hash.
  bool closed;
  // And a closing NUL. NULL: not kept (closed), or never read (only its name was found, and there is no hash).
  const char *bytes;
  size_t length;
  Sha256 hash;
} NotedFile;

typedef ARRAY(const char *) FileNames;

typedef struct FileSet FileSet;

FileSet *file_set_new(Arena *a); // lives in the arena, with copies of all that is added
// What is added first stays: content of a path that has content changes nothing. kind: FILE_REGULAR or FILE_OTHER.
void file_set_add(FileSet *s, const char *path, FileKind kind, const void *bytes, size_t length);
void file_set_add_closed(FileSet *s, const char *path, FileKind kind, const Sha256 *hash);
void file_set_add_name(FileSet *s, const char *path, FileKind kind);
void file_set_add_variable(FileSet *s, const char *name, const char *value); // of the environment

// All of it in the order of the bytes of paths and names: two sets with the same things are the same.
int file_set_count(const FileSet *s);
const NotedFile *file_set_at(const FileSet *s, int i);
int file_set_variable_count(const FileSet *s);
const char *file_set_variable_at(const FileSet *s, int i, const char **value); // its name
// Not all closed files could be noted: too many, or one cannot be read.
bool file_set_has_gaps(const FileSet *s);

const NotedFile *file_set_find(const FileSet *s, const char *path); // NULL: absent
// Folders are those that were added as such, and those of which a path is in the set.
FileKind file_set_kind(const FileSet *s, const char *path);
// Adds the names in a folder that begin with `prefix`, in any order, some perhaps twice.
void file_set_list(const FileSet *s, const char *folder, const char *prefix, Arena *a,
                   FileNames *out);
const char *file_set_variable(const FileSet *s, const char *name); // NULL: not set
// The content as it was read first in this process, also of a closed file. NULL: it was not read.
const char *file_set_first(const FileSet *s, const char *path, size_t *length);

// ---- uses

typedef struct FileSetUse { // one of the two is NULL
  FileSet *noting;
  const FileSet *serving; // may serve many threads at a time
  const char
      *closed; // serving: a folder of this machine in which closed files are; NULL: there are none
  struct FileSetUse *outer; // around it
} FileSetUse;

void file_set_begin_noting(FileSetUse *u, FileSet *s); // keeps both pointers until file_set_end
void file_set_begin_serving(FileSetUse *u, const FileSet *s);
void file_set_end(FileSetUse *u);
FileSetUse *file_set_innermost(void); // of this thread; NULL: none
bool file_set_is_serving(void);       // the innermost, or one around it
// Returns what it was. NULL: files are read from the disk, and nothing is noted.
FileSetUse *file_set_swap(FileSetUse *next);

// If a set notes: a closed file by its hash, or all files below a folder, as far as they can be read. Links in folders are
// not followed; what they say is hashed. Reads the files, and asks Patience meanwhile.
enum { CLOSED_FILES_MOST = 5000 }; // of one call; more are a gap
void file_set_note_closed(const char *path);
// The folder for closed files of the use that serves. NULL: none.
const char *file_set_closed_folder(void);
// Whether the closed files of the set that serves, named relative to the folder `from`, are in the folder for closed files, with the
// hashes that were noted.
bool file_set_check_closed(const char *from, Err *err);
// The hash of a regular file on the disk. false: it cannot be read.
bool file_set_hash(const char *path, Sha256 *out);
void file_set_add_gap(FileSet *s);
