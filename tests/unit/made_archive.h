// ZIP archives for a test, written entry by entry into a folder of their own.
#pragma once
#include <minizip/zip.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "test.h"

typedef struct MadeArchive {
  Arena *arena;
  char folder[64];
  const char *path; // of the archive
  zipFile zip;      // while it is written
} MadeArchive;

static inline int made_archive_setup(void **state) {
  MadeArchive *m = calloc(1, sizeof *m);
  m->arena = arena_new();
  strcpy(m->folder, "/tmp/entrain-fmu-XXXXXX");
  *state = m;
  return mkdtemp(m->folder) ? 0 : -1;
}

static inline int made_archive_teardown(void **state) {
  MadeArchive *m = *state;
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", m->folder);
  int status = system(command);
  arena_free(m->arena);
  free(m);
  return status;
}

// Begins an archive of this name; what stood there before is gone.
static inline void made_archive_begin(MadeArchive *m, const char *name) {
  m->path = arena_print(m->arena, "%s/%s", m->folder, name);
  m->zip = zipOpen64(m->path, APPEND_STATUS_CREATE);
  assert_non_null(m->zip);
}

static inline void made_archive_add_bytes(MadeArchive *m, const char *name, const char *bytes,
                                          size_t length, unsigned long attributes) {
  zip_fileinfo info = {.external_fa = attributes};
  assert_int_equal(zipOpenNewFileInZip64(m->zip, name, &info, NULL, 0, NULL, 0, NULL, Z_DEFLATED,
                                         Z_DEFAULT_COMPRESSION, 0),
                   ZIP_OK);
  if (length) assert_int_equal(zipWriteInFileInZip(m->zip, bytes, (unsigned)length), ZIP_OK);
  assert_int_equal(zipCloseFileInZip(m->zip), ZIP_OK);
}

static inline void made_archive_add(MadeArchive *m, const char *name, const char *text) {
  made_archive_add_bytes(m, name, text, strlen(text), 0);
}

static inline const char *made_archive_end(MadeArchive *m) {
  assert_int_equal(zipClose(m->zip, NULL), ZIP_OK);
  return m->path;
}
