// The binary of an FMU: where it lies, how it is loaded, and which functions it must have.
#include <dlfcn.h>
#include <string.h>
#include <sys/stat.h>

#include "base/c_locale.h"
#include "base/sanitizer.h"
#include "base/text.h"
#include "fmu/instance.h"
#include "fmu/instance_parts.h"

typedef enum FmuNeed { NEED_ALL, NEED_ME, NEED_CS, NEED_DIRECTIONAL } FmuNeed;

typedef struct FmuSymbol {
  const char *name;
  size_t offset; // in FmuLibrary
  FmuNeed need;
} FmuSymbol;

static const FmuSymbol FMI2_SYMBOLS[] = {
#define FMI_FUNCTION(need, type, name, arguments)                                                  \
  {#name, offsetof(FmuLibrary, fmi2.name), NEED_##need},
#include "fmu/fmi2.def"
#undef FMI_FUNCTION
};

static const FmuSymbol FMI3_SYMBOLS[] = {
#define FMI_FUNCTION(need, type, name, arguments)                                                  \
  {#name, offsetof(FmuLibrary, fmi3.name), NEED_##need},
#include "fmu/fmi3.def"
#undef FMI_FUNCTION
};

static bool is_needed(const FmuLibrary *l, FmuNeed need) {
  switch (need) {
  case NEED_ALL: return true;
  case NEED_ME: return !l->co_simulation;
  case NEED_CS: return l->co_simulation;
  case NEED_DIRECTIONAL: return l->info->directional_derivatives;
  }
  return true;
}

static bool find_symbols(FmuLibrary *l, const FmuSymbol *symbols, size_t count, Err *err) {
  Text missing;
  text_init(&missing);
  for (size_t k = 0; k < count; k++) {
    if (!is_needed(l, symbols[k].need)) continue;
    void *address = dlsym(l->handle, symbols[k].name);
    memcpy((char *)l + symbols[k].offset, &address, sizeof address);
    if (!address) text_print(&missing, "%s%s", missing.length ? ", " : "", symbols[k].name);
  }
  bool complete = missing.length == 0;
  if (!complete)
    fail(err, ERR_FILE, "the binary of '%s' lacks functions of FMI %d: %s", l->description->path,
         l->description->fmi, missing.at);
  text_done(&missing);
  return complete;
}

static bool load(FmuLibrary *l, const char *path, Err *err) {
  int flags = RTLD_NOW | RTLD_LOCAL;
#ifndef ADDRESS_SANITIZER // which ends the program at this flag
  flags |= RTLD_DEEPBIND; // an FMU may bring libraries of its own whose names we use, too
#endif
  l->handle = dlopen(path, flags);
  if (!l->handle)
    return fail(err, ERR_FILE, "cannot load the binary of '%s': %s", l->description->path,
                dlerror());
  if (l->description->fmi == 2)
    return find_symbols(l, FMI2_SYMBOLS, sizeof FMI2_SYMBOLS / sizeof *FMI2_SYMBOLS, err);
  return find_symbols(l, FMI3_SYMBOLS, sizeof FMI3_SYMBOLS / sizeof *FMI3_SYMBOLS, err);
}

// file:///folder/resources with all but the plain characters of RFC 3986 as %20.
static const char *resources_uri(Arena *a, const char *folder) {
  static const char PLAIN[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  Text uri;
  text_init(&uri);
  text_add(&uri, "file://");
  for (const char *c = folder; *c; c++) {
    if (strchr(PLAIN, *c))
      text_add_bytes(&uri, c, 1);
    else
      text_print(&uri, "%%%02X", (unsigned char)*c);
  }
  text_add(&uri, "/resources");
  const char *copy = arena_copy(a, uri.at, uri.length);
  text_done(&uri);
  return copy;
}

// FMI 3 is given no path where there is no such folder; FMI 2 is always given one.
static const char *resources(Arena *a, const FmuDescription *d, const char *folder) {
  if (d->fmi == 2) return resources_uri(a, folder);
  const char *path = arena_print(a, "%s/resources/", folder);
  struct stat s;
  return stat(path, &s) == 0 && S_ISDIR(s.st_mode) ? path : NULL;
}

static bool can_load(const FmuLibrary *l, Err *err) {
  const char *path = l->description->path;
  if (!l->info->offered)
    return fail(err, ERR_UNSUPPORTED, "'%s' does not offer %s", path,
                l->co_simulation ? "co-simulation" : "model exchange");
  const char *identifier = l->info->identifier;
  if (!identifier || !*identifier || strchr(identifier, '/'))
    return fail(err, ERR_FILE, "'%s' has no usable modelIdentifier", path);
  return true;
}

FmuLibrary *fmu_library_open(Arena *a, const FmuDescription *d, const char *folder,
                             FmuInterface interface, Err *err) {
  FmuLibrary *l = ARENA_NEW(a, FmuLibrary);
  l->description = d;
  l->co_simulation = interface == FMU_CS;
  l->info = l->co_simulation ? &d->co_simulation : &d->model_exchange;
  if (!can_load(l, err)) return NULL;
  const char *platform = fmu_platform(d, err);
  if (!platform) return NULL;
  l->calls = d->fmi == 2 ? &FMI2_CALLS : &FMI3_CALLS;
  l->resources = resources(a, d, folder);
  const char *binary =
      arena_print(a, "%s/binaries/%s/%s.so", folder, platform, l->info->identifier);
  if (load(l, binary, err)) return l;
  fmu_library_close(l);
  return NULL;
}

void fmu_library_close(FmuLibrary *l) {
  if (l && l->handle) dlclose(l->handle);
  if (l) l->handle = NULL;
}

const FmuDescription *fmu_library_description(const FmuLibrary *l) {
  return l->description;
}
