#include "base/mat_whole.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>

static uint32_t word_at(const char *bytes, size_t at, bool swapped) {
  uint32_t w;
  memcpy(&w, bytes + at, sizeof w);
  return swapped ? __builtin_bswap32(w) : w;
}

enum { MI_MATRIX = 14, MI_COMPRESSED = 15, MI_TYPES = 18, DEPTH_MOST = 32, HEAD_LENGTH = 128 };

// The elements of version 5 from `at` to `end`: each has a type and a length, and lies inside of what contains it. Four bytes or
// less may stand in the place of the second word. A file has matrices and compressed matrices.
static bool elements_fit(const char *bytes, size_t at, size_t end, bool swapped, int depth) {
  if (depth > DEPTH_MOST) return false;
  while (end - at >= 8) {
    uint32_t type = word_at(bytes, at, swapped), length = word_at(bytes, at + 4, swapped);
    if (depth && type >> 16) { // a small one
      if (type >> 16 > 4 || (type & 0xffff) > MI_TYPES) return false;
      at += 8;
      continue;
    }
    if (type > MI_TYPES || length > end - at - 8) return false;
    if (!depth && type != MI_MATRIX && type != MI_COMPRESSED) return false;
    if (type == MI_MATRIX && length &&
        !elements_fit(bytes, at + 8, at + 8 + length, swapped, depth + 1))
      return false;
    at += 8 + (size_t)length;
    if (depth && at % 8 && end - at >= 8 - at % 8) at += 8 - at % 8;
  }
  return end == at || depth;
}

// A matrix of version 4: type, rows, columns, whether there is an imaginary part, length of the name; name; numbers.
static bool version_4_fits(const char *bytes, size_t length) {
  static const unsigned SIZES[] = {8, 4, 4, 2, 2, 1};
  for (size_t at = 0; at < length;) {
    if (length - at < 20) return false;
    uint32_t first = word_at(bytes, at, false);
    bool swapped = first > 9999;
    uint32_t head[5];
    for (int i = 0; i < 5; i++) head[i] = word_at(bytes, at + 4 * (size_t)i, swapped);
    unsigned precision = head[0] / 10 % 10;
    uint64_t numbers;
    if (head[0] > 9999 || precision > 5 || head[3] > 1 ||
        __builtin_mul_overflow((uint64_t)head[1], (uint64_t)head[2], &numbers) || numbers > length)
      return false;
    uint64_t size = 20 + (uint64_t)head[4] + numbers * SIZES[precision] * (head[3] + 1);
    if (size > length - at) return false;
    at += (size_t)size;
  }
  return true;
}

static bool is_version_5(const char *bytes, size_t length) {
  return length >= HEAD_LENGTH && memcmp(bytes, "MATLAB 5.0", 10) == 0;
}

static bool is_swapped(const char *bytes) { // else "IM": as on this processor
  return bytes[126] == 'M' && bytes[127] == 'I';
}

static const char HDF5_SIGNATURE[] = "\211HDF\r\n\032\n";

static uint64_t number_at(const char *bytes, size_t at) {
  return (uint64_t)word_at(bytes, at + 4, false) << 32 | word_at(bytes, at, false);
}

// Version 7.3 is HDF5, whose superblock says where the file ends; it stands at 0, 512, 1024 ... HDF5 notices all else by itself, and
// this too, but libmatio goes on with what is then an empty file. Little endian, whatever the processor.
static bool hdf5_fits(const char *bytes, size_t length) {
  enum { SUPERBLOCK = 60, ADDRESS = 8 };
  for (size_t at = 0; at + SUPERBLOCK <= length; at = at ? 2 * at : 512) {
    if (memcmp(bytes + at, HDF5_SIGNATURE, 8) != 0) continue;
    unsigned version = (unsigned char)bytes[at + 8];
    unsigned size = (unsigned char)bytes[at + (version < 2 ? 13 : 9)];
    size_t end = at + (version == 0 ? 24 : version == 1 ? 28 : 12) + 2 * ADDRESS;
    return version > 3 || size != ADDRESS || number_at(bytes, end) <= length;
  }
  return false;
}

bool mat_is_whole(const char *bytes, size_t length) {
  if (length < 20) return false;
  if (is_version_5(bytes, length))
    return elements_fit(bytes, HEAD_LENGTH, length, is_swapped(bytes), 0);
  if (memcmp(bytes, "MATLAB 7", 8) == 0 || memcmp(bytes, HDF5_SIGNATURE, 8) == 0)
    return hdf5_fits(bytes, length);
  return version_4_fits(bytes, length);
}

// ---------------------------------------------------------------- checksums

#define ZLIB_FUNCTIONS(F) F(inflateInit_) F(inflate) F(inflateEnd)

typedef struct Zlib {
#define F(name) __typeof__(name) *name;
  ZLIB_FUNCTIONS(F)
#undef F
} Zlib;

static bool load_zlib(Zlib *z) {
  void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
  bool complete = library != NULL;
#define F(name) complete = complete && (z->name = (__typeof__(z->name))dlsym(library, #name));
  ZLIB_FUNCTIONS(F)
#undef F
  return complete;
}

// Type and length of a matrix; type, length and value of its flags, which say the class.
enum { MATRIX_HEAD = 24, FLAGS_AT = 16, CLASS_TEXT = 4 };

// A stream that ends with its checksum and holds a matrix as long as its head says, and no more: this bounds the time. Texts may be
// shorter: libmatio writes lengths of two bytes for each character, and one.
static bool stream_holds(const Zlib *z, const char *bytes, uint32_t length, bool swapped) {
  char out[1 << 15];
  uint64_t count = 0, wanted = MATRIX_HEAD;
  bool is_text = false;
  z_stream s = {.next_in = (Bytef *)(uintptr_t)bytes, .avail_in = length};
  if (z->inflateInit_(&s, ZLIB_VERSION, (int)sizeof s) != Z_OK) return false;
  int state = Z_OK;
  while (state == Z_OK && count <= wanted) {
    // the head first
    uInt room = count < MATRIX_HEAD ? MATRIX_HEAD - (uInt)count : sizeof out;
    s.next_out = (Bytef *)out + (count < MATRIX_HEAD ? count : 0), s.avail_out = room;
    state = z->inflate(&s, Z_NO_FLUSH);
    uint64_t before = count;
    count += room - s.avail_out;
    if (before >= MATRIX_HEAD || count < MATRIX_HEAD) continue;
    wanted = 8 + (uint64_t)word_at(out, 4, swapped);
    is_text = (word_at(out, FLAGS_AT, swapped) & 0xff) == CLASS_TEXT;
  }
  z->inflateEnd(&s);
  if (count < MATRIX_HEAD && count >= 8) wanted = 8 + (uint64_t)word_at(out, 4, swapped); // empty
  return state == Z_STREAM_END && (count == wanted || (is_text && count < wanted));
}

bool mat_checksums_hold(const char *bytes, size_t length) {
  Zlib z = {0};
  bool loaded = false;
  if (!is_version_5(bytes, length)) return true;
  bool swapped = is_swapped(bytes);
  for (size_t at = HEAD_LENGTH; length - at >= 8;) {
    uint32_t type = word_at(bytes, at, swapped), size = word_at(bytes, at + 4, swapped);
    if (size > length - at - 8) return false;
    if (type == MI_COMPRESSED) {
      if (!loaded && !(loaded = load_zlib(&z))) return false;
      if (!stream_holds(&z, bytes + at + 8, size, swapped)) return false;
    }
    at += 8 + (size_t)size;
  }
  return true;
}
