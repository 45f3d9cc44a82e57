#include "fmu/archive.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <minizip/unzip.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/character.h"
#include "base/memory.h"
#include "base/names.h"
#include "base/text.h"
#include "base/visible.h"

enum {
  NAME_SIZE = 65536, // of the format
  NAME_MOST = 1000,  // bytes of a name that is accepted
  NESTING_MOST = 50, // folders inside each other
  BLOCK_BYTES = 1 << 16,
};

typedef struct Archive { // an open file and what its directory says
  const char *path;
  unzFile zip;
  Arena *scratch;
  Names *by_name; // number of an entry
  ARRAY(ArchiveEntry) entries;
  ARRAY(unz64_file_pos) places;
  ARRAY(unsigned long) sums; // CRC-32 as the archive claims
  int seen;                  // entries of the file, repeated ones included
  Err *err;
} Archive;

static bool refuse(const Archive *z, ErrCode code, const char *what) {
  return fail_at(z->err, code, (Place){.file = z->path}, "%s", what);
}

// The name as a message shows it: on one line, and not too long.
static const char *shown(const Archive *z, const char *name) {
  Text t;
  text_init(&t);
  for (const char *c = name; *c && t.length < 100; c++)
    if ((unsigned char)*c < ' ')
      text_print(&t, "\\x%02x", (unsigned char)*c);
    else
      text_add_bytes(&t, c, 1);
  const char *copy = visible(z->scratch, arena_copy(z->scratch, t.at, t.length));
  text_done(&t);
  return copy;
}

static bool refuse_entry(const Archive *z, ErrCode code, const char *name, const char *why) {
  return fail_at(z->err, code, (Place){.file = z->path}, "entry '%s' %s", shown(z, name), why);
}

// ---------------------------------------------------------------- opening

// As minizip opens files itself, but children do not inherit the descriptor.
static voidpf open_file(voidpf data, const void *path, int mode) {
  (void)data, (void)mode;
  return fopen(path, "rbe");
}

static bool is_regular_file(const Archive *z) {
  struct stat s;
  if (stat(z->path, &s) != 0) {
    memory_check_errno();
    return fail(z->err, ERR_FILE, "cannot read '%s': %s", z->path, strerror(errno));
  }
  if (S_ISREG(s.st_mode)) return true;
  return fail(z->err, ERR_FILE, "cannot read '%s': it is not a file", z->path);
}

static bool open_zip(Archive *z) {
  if (!is_regular_file(z)) return false;
  if (access(z->path, R_OK) != 0)
    return fail(z->err, ERR_FILE, "cannot read '%s': %s", z->path, strerror(errno));
  zlib_filefunc64_def functions;
  fill_fopen64_filefunc(&functions);
  functions.zopen64_file = open_file;
  z->zip = unzOpen2_64(z->path, &functions);
  return z->zip || refuse(z, ERR_FILE, "this is not a ZIP archive, or its end is missing");
}

// ---------------------------------------------------------------- what is refused

// A control character, or one that changes the direction of writing.
static bool has_control(const char *name) {
  for (Character c; *name; name += c.bytes) {
    c = character_at(name);
    if (c.code < ' ' || (c.hidden && c.code != 0xFFFD)) return true;
  }
  return false;
}

static bool leads_up(const char *name) {
  for (size_t length; *name; name += length + (name[length] == '/')) {
    length = strcspn(name, "/");
    if (length == 2 && name[0] == '.' && name[1] == '.') return true;
  }
  return false;
}

// Some tools write folders with backslashes, or begin with "./". Components that are empty or "." go; "" is the archive itself.
static void make_plain(char *name) {
  char *to = name;
  for (const char *from = name; *from;) {
    size_t length = strcspn(from, "/");
    bool counts = length > 1 || (length == 1 && from[0] != '.'), folder = from[length] == '/';
    if (counts) memmove(to, from, length + folder), to += length + folder;
    from += length + folder;
  }
  *to = 0;
}

static int nesting(const char *name) {
  int count = 0;
  for (; *name; name++) count += *name == '/';
  return count;
}

// What is wrong with a name; NULL: nothing.
static const char *wrong_name(const char *name, size_t length) {
  if (length == 0) return "has no name";
  if (strlen(name) != length || has_control(name))
    return "has a control character in its name, which is not allowed";
  if (length > NAME_MOST) return "has a name of more than 1000 bytes";
  if (name[0] == '/') return "has an absolute name; names must be relative to the archive";
  if (isalpha((unsigned char)name[0]) && name[1] == ':')
    return "has a drive letter in its name; names must be relative to the archive";
  if (leads_up(name)) return "has a component '..' in its name; names must stay inside the archive";
  return nesting(name) > NESTING_MOST ? "lies in more than 50 folders" : NULL;
}

// The upper half of the attributes is the mode of the file in Unix, or 0.
static const char *wrong_mode(unsigned long attributes) {
  switch ((attributes >> 16) & S_IFMT) {
  case S_IFLNK: return "is a symbolic link; only files and folders are allowed";
  case S_IFBLK:
  case S_IFCHR:
  case S_IFIFO:
  case S_IFSOCK: return "is a device, pipe or socket; only files and folders are allowed";
  default: return NULL;
  }
}

static const char *wrong_storage(const unz_file_info64 *info) {
  enum { ENCRYPTED = 1 << 0, STRONG = 1 << 6, MASKED = 1 << 13, STORED = 0 };
  if (info->flag & (ENCRYPTED | STRONG | MASKED))
    return "is encrypted; entries must be readable without a password";
  return info->compression_method == STORED || info->compression_method == Z_DEFLATED
             ? NULL
             : "is compressed by a method other than deflate";
}

static bool check_entry(const Archive *z, const unz_file_info64 *info, const char *name) {
  const char *wrong = wrong_name(name, info->size_filename);
  if (!wrong) wrong = wrong_mode(info->external_fa);
  if (wrong) return refuse_entry(z, ERR_DATA, name, wrong);
  if ((wrong = wrong_storage(info))) return refuse_entry(z, ERR_UNSUPPORTED, name, wrong);
  return true;
}

static bool is_new_or_equal(const Archive *z, const unz_file_info64 *info, const char *name) {
  int before = names_find(z->by_name, name);
  if (before < 0 ||
      (z->entries.at[before].size == info->uncompressed_size && z->sums.at[before] == info->crc))
    return true;
  return refuse_entry(z, ERR_NAME, name,
                      "occurs twice with different contents; each name is allowed once");
}

// ---------------------------------------------------------------- the directory

static bool read_entry(Archive *z, char name[NAME_SIZE + 1]) {
  unz_file_info64 info;
  unz64_file_pos place;
  name[0] = name[NAME_SIZE] = 0;
  if (unzGetCurrentFileInfo64(z->zip, &info, name, NAME_SIZE, NULL, 0, NULL, 0) != UNZ_OK ||
      unzGetFilePos64(z->zip, &place) != UNZ_OK)
    return refuse(z, ERR_DATA, "the directory of this ZIP archive is damaged");
  if (z->seen++ == ARCHIVE_ENTRIES_MOST)
    return fail_at(z->err, ERR_LIMIT, (Place){.file = z->path},
                   "the archive has more than %d entries", ARCHIVE_ENTRIES_MOST);
  for (char *c = name; *c; c++)
    if (*c == '\\') *c = '/';
  if (!check_entry(z, &info, name)) return false;
  make_plain(name);
  if (!name[0]) return true;
  if (!is_new_or_equal(z, &info, name)) return false;
  if (names_find(z->by_name, name) >= 0) return true; // the same once more: the first counts
  names_set(z->by_name, name, z->entries.count);
  ArchiveEntry entry = {arena_copy(z->scratch, name, strlen(name)), info.uncompressed_size};
  array_push(z->scratch, &z->entries, entry);
  array_push(z->scratch, &z->places, place);
  array_push(z->scratch, &z->sums, info.crc);
  return true;
}

static bool read_directory(Archive *z) {
  char name[NAME_SIZE + 1];
  int end = unzGoToFirstFile(z->zip);
  for (; end == UNZ_OK; end = unzGoToNextFile(z->zip))
    if (!read_entry(z, name)) return false;
  return end == UNZ_END_OF_LIST_OF_FILE ||
         refuse(z, ERR_DATA, "the directory of this ZIP archive is damaged");
}

static void archive_close(Archive *z) {
  if (z->zip) unzClose(z->zip);
  arena_free(z->scratch);
}

// false: an error; archive_close is needed all the same.
static bool archive_open(Archive *z, const char *path, Err *err) {
  *z = (Archive){.path = path, .scratch = arena_new(), .err = err};
  z->by_name = names_new(z->scratch);
  return open_zip(z) && read_directory(z);
}

ArchiveList *archive_list(Arena *a, const char *path, Err *err) {
  Archive z;
  ArchiveList *list = NULL;
  if (archive_open(&z, path, err)) {
    list = ARENA_NEW(a, ArchiveList);
    for (int i = 0; i < z.entries.count; i++) {
      ArchiveEntry e = z.entries.at[i];
      e.name = arena_copy(a, e.name, strlen(e.name));
      array_push(a, &list->entries, e);
    }
  }
  archive_close(&z);
  return list;
}

// ---------------------------------------------------------------- contents

typedef bool TakeBytes(void *data, const char *bytes, size_t count); // false: it stops

// Hands the bytes of an entry over in blocks. The claimed size is a limit that is kept, and the sum of bits must agree:
// entries that lie about their size are refused.
static bool unpack_entry(const Archive *z, int entry, TakeBytes *take, void *data) {
  const ArchiveEntry *e = &z->entries.at[entry];
  unz64_file_pos place = z->places.at[entry];
  static const char DAMAGED[] = "is damaged, or its size is not what the archive says";
  if (unzGoToFilePos64(z->zip, &place) != UNZ_OK || unzOpenCurrentFile(z->zip) != UNZ_OK)
    return refuse_entry(z, ERR_DATA, e->name, DAMAGED);
  char block[BLOCK_BYTES];
  size_t count = 0;
  int got;
  while ((got = unzReadCurrentFile(z->zip, block, sizeof block)) > 0) {
    count += (size_t)got;
    if (count > e->size) break;
    if (take(data, block, (size_t)got)) continue;
    unzCloseCurrentFile(z->zip);
    return false;
  }
  bool right = unzCloseCurrentFile(z->zip) == UNZ_OK && got == 0 && count == e->size;
  return right || refuse_entry(z, ERR_DATA, e->name, DAMAGED);
}

static bool take_text(void *data, const char *bytes, size_t count) {
  text_add_bytes(data, bytes, count);
  return true;
}

static char *read_text(const Archive *z, Arena *a, int entry, size_t *length) {
  Text text;
  text_init(&text);
  char *bytes = NULL;
  if (unpack_entry(z, entry, take_text, &text)) {
    bytes = arena_copy(a, text.at, text.length);
    if (length) *length = text.length;
  }
  text_done(&text);
  return bytes;
}

char *archive_read(Arena *a, const char *path, const char *entry, size_t most, size_t *length,
                   Err *err) {
  Archive z;
  char *bytes = NULL;
  if (archive_open(&z, path, err)) {
    int found = names_find(z.by_name, entry);
    Place at = {.file = path};
    if (found < 0)
      fail_at(err, ERR_FILE, at, "there is no entry '%s' in this archive", shown(&z, entry));
    else if (z.entries.at[found].size > most)
      fail_at(err, ERR_LIMIT, at, "entry '%s' has more than %zu bytes", shown(&z, entry), most);
    else
      bytes = read_text(&z, a, found, length);
  }
  archive_close(&z);
  return bytes;
}

// ---------------------------------------------------------------- unpacking

static bool cannot_write(const Archive *z, const char *name, int number) {
  if (number == ENOMEM) out_of_memory();
  return fail_at(z->err, ERR_FILE, (Place){.file = z->path}, "cannot write entry '%s': %s",
                 shown(z, name), strerror(number));
}

// Opens the folder `name` in the open folder `parent`, which it closes, and makes it where it is missing. -1 and errno: it
// cannot be done. Links are not followed: what another process puts there does not lead outside.
static int enter_folder(int parent, const char *name) {
  int folder = -1;
  if (mkdirat(parent, name, 0700) == 0 || errno == EEXIST)
    folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  int number = errno;
  close(parent);
  errno = number;
  return folder;
}

// Makes the folders of a name and opens the last one; *last is what follows them. -1 and errno: it cannot be done.
static int make_folders(const char *folder, const char *name, const char **last) {
  int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  for (const char *slash; fd >= 0 && (slash = strchr(name, '/')); name = slash + 1) {
    char component[NAME_MOST + 1];
    size_t length = (size_t)(slash - name);
    memcpy(component, name, length);
    component[length] = 0;
    fd = enter_folder(fd, component);
  }
  *last = name;
  return fd;
}

typedef struct Unpacking {
  const Archive *archive;
  const char *folder, *name; // the folder of everything; the entry
  int fd;
  size_t left; // bytes that may still be written, by all entries
} Unpacking;

static bool take_file(void *data, const char *bytes, size_t count) {
  Unpacking *u = data;
  if (count > u->left)
    return fail_at(u->archive->err, ERR_LIMIT, (Place){.file = u->archive->path},
                   "the archive unpacks to more than %zu bytes", ARCHIVE_BYTES_MOST);
  u->left -= count;
  while (count > 0) {
    ssize_t put = write(u->fd, bytes, count);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return cannot_write(u->archive, u->name, errno);
    bytes += put;
    count -= (size_t)put;
  }
  return true;
}

static bool unpack_file(Unpacking *u, int entry) {
  const char *last;
  u->name = u->archive->entries.at[entry].name;
  int folder = make_folders(u->folder, u->name, &last);
  if (folder < 0) return cannot_write(u->archive, u->name, errno);
  if (!*last) { // a folder
    close(folder);
    return true;
  }
  u->fd = openat(folder, last, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0700);
  int number = errno;
  close(folder);
  if (u->fd < 0) return cannot_write(u->archive, u->name, number);
  bool done = unpack_entry(u->archive, entry, take_file, u);
  if (close(u->fd) != 0 && done) return cannot_write(u->archive, u->name, errno);
  return done;
}

// Nothing is written of an archive that admits to be too large.
static bool check_claims(const Archive *z) {
  size_t left = ARCHIVE_BYTES_MOST;
  for (int i = 0; i < z->entries.count; i++) {
    if (z->entries.at[i].size > left)
      return fail_at(z->err, ERR_LIMIT, (Place){.file = z->path},
                     "the archive unpacks to more than %zu bytes", ARCHIVE_BYTES_MOST);
    left -= z->entries.at[i].size;
  }
  return true;
}

bool archive_unpack(const char *path, const char *folder, Err *err) {
  Archive z;
  bool done = archive_open(&z, path, err) && check_claims(&z);
  Unpacking u = {.archive = &z, .folder = folder, .left = ARCHIVE_BYTES_MOST};
  for (int i = 0; done && i < z.entries.count; i++) done = unpack_file(&u, i);
  archive_close(&z);
  return done;
}
