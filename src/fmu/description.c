#include "fmu/description.h"

#include <string.h>

#include "base/text.h"
#include "fmu/archive.h"

static const char DESCRIPTION[] = "modelDescription.xml";

const char *fmu_type_word(FmuType t) {
  static const char *const WORDS[] = {"Real",        "Integer", "Boolean", "String",
                                      "Enumeration", "Binary",  "Clock"};
  return WORDS[t];
}

// ---------------------------------------------------------------- the archive

// The part of the name behind the prefix; NULL: it begins otherwise.
static const char *behind(const char *name, const char *prefix) {
  size_t length = strlen(prefix);
  return strncmp(name, prefix, length) == 0 ? name + length : NULL;
}

static void add_platform(Arena *a, FmuDescription *d, const char *name, size_t length) {
  for (int i = 0; i < d->platforms.count; i++)
    if (strlen(d->platforms.at[i]) == length && strncmp(d->platforms.at[i], name, length) == 0)
      return;
  array_push(a, &d->platforms, arena_copy(a, name, length));
}

// A platform is a folder of binaries/ with a file in it.
static void find_platforms(Arena *a, FmuDescription *d, const ArchiveList *list) {
  enum { PLATFORMS_MOST = 100 };
  for (int i = 0; i < list->entries.count; i++) {
    const char *name = list->entries.at[i].name, *rest = behind(name, "sources/");
    if (rest && *rest) d->has_sources = true;
    const char *platform = behind(name, "binaries/");
    const char *slash = platform ? strchr(platform, '/') : NULL;
    if (slash && slash[1] && name[strlen(name) - 1] != '/' && d->platforms.count < PLATFORMS_MOST)
      add_platform(a, d, platform, (size_t)(slash - platform));
  }
}

// The description must be at the top; a common mistake is to pack the folder around it.
static bool has_description(const char *path, const ArchiveList *list, Err *err) {
  const char *deeper = NULL;
  for (int i = 0; i < list->entries.count; i++) {
    const char *name = list->entries.at[i].name, *last = strrchr(name, '/');
    if (strcmp(name, DESCRIPTION) == 0) return true;
    if (last && strcmp(last + 1, DESCRIPTION) == 0) deeper = name;
  }
  Place at = {.file = path};
  if (deeper)
    return fail_at(err, ERR_DATA, at,
                   "this is not an FMU: %s must be at the top of the archive, not '%.100s'",
                   DESCRIPTION, deeper);
  return fail_at(err, ERR_DATA, at, "this is not an FMU: there is no %s in the archive",
                 DESCRIPTION);
}

FmuDescription *fmu_describe(Arena *a, const char *path, Err *err) {
  Arena *scratch = arena_new();
  FmuDescription *d = NULL;
  size_t length;
  ArchiveList *list = archive_list(scratch, path, err);
  char *xml = list && has_description(path, list, err)
                  ? archive_read(scratch, path, DESCRIPTION, ARCHIVE_XML_MOST, &length, err)
                  : NULL;
  if (xml) {
    const char *file = arena_print(scratch, "%s/%s", path, DESCRIPTION);
    d = fmu_description_parse(a, file, xml, length, err);
  }
  if (d) {
    d->path = arena_copy(a, path, strlen(path));
    find_platforms(a, d, list);
  }
  arena_free(scratch);
  return d;
}

// ---------------------------------------------------------------- platforms

// What this machine can load, as FMI 3 and FMI 2 call it; NULL: FMI 2 has no name for it.
#if defined(__x86_64__)
static const char *const MACHINE[] = {"x86_64-linux", "linux64"};
#elif defined(__aarch64__)
static const char *const MACHINE[] = {"aarch64-linux", NULL};
#else
static const char *const MACHINE[] = {"an unknown platform", NULL};
#endif

static bool fail_platform(const FmuDescription *d, Err *err) {
  Text inside;
  text_init(&inside);
  for (int i = 0; i < d->platforms.count; i++)
    text_print(&inside, "%s%.60s", i ? ", " : "", d->platforms.at[i]);
  if (d->has_sources) text_print(&inside, "%ssources", d->platforms.count ? " and " : "");
  const char *needed = d->fmi == 2 && MACHINE[1] ? MACHINE[1] : MACHINE[0];
  fail_at(err, ERR_UNSUPPORTED, (Place){.file = d->path},
          "this FMU has no binaries for this machine (%s); inside are %.500s%s", needed,
          inside.length ? inside.at : "none at all",
          d->has_sources ? ", which entrain does not compile" : "");
  text_done(&inside);
  return false;
}

const char *fmu_platform(const FmuDescription *d, Err *err) {
  for (int k = 0; k < 2; k++) { // the name of its own version first
    const char *wanted = MACHINE[d->fmi == 2 ? 1 - k : k];
    for (int i = 0; wanted && i < d->platforms.count; i++)
      if (strcmp(d->platforms.at[i], wanted) == 0) return d->platforms.at[i];
  }
  fail_platform(d, err);
  return NULL;
}
