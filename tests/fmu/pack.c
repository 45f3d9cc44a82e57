// Makes a test FMU: pack 2|3 MODEL.so FOLDER [RESOURCE ...] fills the folder and writes FOLDER.fmu with the same files.
#include <libgen.h>
#include <minizip/zip.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "describe.h"
#include "model.h"

static void stop(const char *what, const char *path) {
  fprintf(stderr, "%s ", what);
  perror(path);
  exit(1);
}

static FILE *open_file(const char *path, const char *mode) {
  FILE *f = fopen(path, mode);
  if (!f) stop("cannot open", path);
  return f;
}

static char *text(const char *format, ...) { // never freed: the program is short
  char *made;
  va_list args;
  va_start(args, format);
  if (vasprintf(&made, format, args) < 0) stop("cannot make", format);
  va_end(args);
  return made;
}

static void make_folders(const char *path) { // all that end with a slash in it
  for (const char *c = path + 1; (c = strchr(c, '/')); c++)
    mkdir(text("%.*s", (int)(c - path), path), 0777);
}

static void copy(const char *from, const char *to) {
  make_folders(to);
  FILE *in = open_file(from, "rb"), *out = open_file(to, "wb");
  for (int c; (c = getc(in)) != EOF;) putc(c, out);
  if (ferror(in) || fclose(out) != 0) stop("cannot copy", from);
  fclose(in);
}

// Adds the file `name` of the folder.
static void add(zipFile zip, const char *folder, const char *name) {
  const char *path = text("%s/%s", folder, name);
  FILE *in = open_file(path, "rb");
  zip_fileinfo info = {.tmz_date = {.tm_mday = 1, .tm_year = 2020}, .external_fa = 0644u << 16};
  if (zipOpenNewFileInZip(zip, name, &info, NULL, 0, NULL, 0, NULL, Z_DEFLATED,
                          Z_DEFAULT_COMPRESSION) != ZIP_OK)
    stop("cannot pack", path);
  char buffer[4096];
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, in)) > 0;)
    if (zipWriteInFileInZip(zip, buffer, (unsigned)n) != ZIP_OK) stop("cannot pack", path);
  if (zipCloseFileInZip(zip) != ZIP_OK) stop("cannot pack", path);
  fclose(in);
}

static void copy_and_add(zipFile zip, const char *from, const char *folder, const char *name) {
  copy(from, text("%s/%s", folder, name));
  add(zip, folder, name);
}

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  int fmi = atoi(argv[1]);
  const char *folder = argv[3], *archive = text("%s.fmu", folder);
  remove(archive);
  zipFile zip = zipOpen(archive, APPEND_STATUS_CREATE);
  if (!zip) stop("cannot write", archive);

  const char *path = text("%s/modelDescription.xml", folder);
  make_folders(path);
  FILE *xml = open_file(path, "w");
  describe(xml, fmi);
  if (fclose(xml) != 0) stop("cannot write", path);
  add(zip, folder, "modelDescription.xml");
  const char *platform = fmi == 2 ? "linux64" : "x86_64-linux";
  copy_and_add(zip, argv[2], folder, text("binaries/%s/%s.so", platform, MODEL.name));
  for (int k = 4; k < argc; k++)
    copy_and_add(zip, argv[k], folder, text("resources/%s", basename(argv[k])));
  return zipClose(zip, NULL) == ZIP_OK ? 0 : 1;
}
