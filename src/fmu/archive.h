// Reads an FMU as the ZIP archive that it is. minizip is used here only.
//
// An archive is a stranger's file: names that are absolute, contain "..", a control character or a drive letter,
// entries that are links or devices, encrypted ones, two of one name with different contents, more than ARCHIVE_ENTRIES_MOST
// entries or more than ARCHIVE_BYTES_MOST unpacked bytes (as counted while unpacking, not as the archive claims) are refused,
// with the name of the entry as visible text. Backslashes count as slashes, "./" and "//" are left out. What is repeated without a change is listed and unpacked once.
#pragma once
#include "base/arena.h"
#include "base/array.h"
#include "base/err.h"

enum { ARCHIVE_ENTRIES_MOST = 20000 };
#define ARCHIVE_BYTES_MOST ((size_t)2 << 30)
#define ARCHIVE_XML_MOST ((size_t)256 << 20) // of modelDescription.xml

typedef struct ArchiveEntry {
  const char *name; // folders end with a slash
  size_t size;      // as the archive claims
} ArchiveEntry;

typedef struct ArchiveList {
  ARRAY(ArchiveEntry) entries;
} ArchiveList;

// All entries; NULL and err if one of them is refused, or the file is no archive.
ArchiveList *archive_list(Arena *a, const char *path, Err *err);
// The bytes of one entry and a closing NUL; NULL and err if there is none or it has more than `most` bytes.
char *archive_read(Arena *a, const char *path, const char *entry, size_t most, size_t *length,
                   Err *err);
// Unpacks everything into the folder, which exists and is empty. Files are readable and executable by the owner alone. false and err: it
// cannot be done; what is there already stays (the caller removes the folder).
bool archive_unpack(const char *path, const char *folder, Err *err);
