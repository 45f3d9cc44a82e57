#include "draw/figure_cairo.h"

#include <cairo/cairo-pdf.h>
#include <cairo/cairo.h>
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>

#include "base/memory.h"
#include "base/sanitizer.h"

static const char FONT[] =
    "DejaVu Sans"; // of figure_text_room; where it is missing, another one takes its place
static const double INCH = 96, PDF_INCH = 72;      // points of a figure and of a PDF
enum { PIXELS_MOST = 1 << 26, SIDE_MOST = 32767 }; // pixels; cairo draws no longer sides
enum { PDF_MOST = 14400 };                         // points; readers show no larger pages

// ---------------------------------------------------------------- the library

#define CAIRO_FUNCTIONS(F)                                                                         \
  F(arc)                                                                                           \
  F(clip)                                                                                          \
  F(close_path)                                                                                    \
  F(create)                                                                                        \
  F(destroy)                                                                                       \
  F(fill_preserve)                                                                                 \
  F(font_options_create)                                                                           \
  F(font_options_destroy)                                                                          \
  F(font_options_set_antialias)                                                                    \
  F(font_options_set_hint_metrics)                                                                 \
  F(font_options_set_hint_style)                                                                   \
  F(get_scaled_font)                                                                               \
  F(image_surface_create)                                                                          \
  F(line_to)                                                                                       \
  F(move_to)                                                                                       \
  F(new_path)                                                                                      \
  F(paint)                                                                                         \
  F(pdf_surface_create_for_stream)                                                                 \
  F(pdf_surface_set_metadata)                                                                      \
  F(rectangle)                                                                                     \
  F(restore)                                                                                       \
  F(rotate)                                                                                        \
  F(save)                                                                                          \
  F(scale)                                                                                         \
  F(scaled_font_get_type)                                                                          \
  F(select_font_face)                                                                              \
  F(set_dash)                                                                                      \
  F(set_font_options)                                                                              \
  F(set_font_size)                                                                                 \
  F(set_line_join)                                                                                 \
  F(set_line_width)                                                                                \
  F(set_source_rgb)                                                                                \
  F(show_text)                                                                                     \
  F(status)                                                                                        \
  F(status_to_string)                                                                              \
  F(stroke_preserve)                                                                               \
  F(surface_destroy)                                                                               \
  F(surface_finish)                                                                                \
  F(surface_status)                                                                                \
  F(surface_write_to_png_stream)                                                                   \
  F(text_extents)                                                                                  \
  F(translate)

// cairo_fill is ca.fill, and so on. Filled once, and never changed.
static struct {
  bool complete, has_font;
#define F(name) __typeof__(cairo_##name) *name;
  CAIRO_FUNCTIONS(F)
#undef F
} ca;

// Without any font cairo draws with a few strokes of its own instead of failing.
static bool finds_font(void) {
  cairo_surface_t *surface = ca.image_surface_create(CAIRO_FORMAT_RGB24, 1, 1);
  cairo_t *cairo = ca.create(surface);
  ca.select_font_face(cairo, FONT, CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  bool found = ca.scaled_font_get_type(ca.get_scaled_font(cairo)) != CAIRO_FONT_TYPE_USER;
  ca.destroy(cairo);
  ca.surface_destroy(surface);
  return found;
}

static void load_library(void) {
  void *library = dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  bool complete = true;
#define F(name)                                                                                    \
  complete = (ca.name = (__typeof__(ca.name))dlsym(library, "cairo_" #name)) && complete;
  CAIRO_FUNCTIONS(F)
#undef F
  ca.complete = complete;
  ca.has_font = complete && finds_font();
}

bool figure_cairo_ready(Err *err) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load_library);
  if (!ca.complete)
    return fail(err, ERR_FILE,
                "pictures as PNG and PDF need the library libcairo.so.2, of version 1.16 or later "
                "(Debian: libcairo2); pictures as SVG do not");
  if (!ca.has_font)
    return fail(err, ERR_FILE,
                "pictures as PNG and PDF need a font, and there is none (Debian: "
                "fonts-dejavu-core); pictures as SVG do not");
  return true;
}

#ifdef ADDRESS_SANITIZER
// Fontconfig keeps patterns of fonts to the end of the process; the sanitizer takes them for lost.
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
__attribute__((visibility("default"))) const char *__lsan_default_options(void);
const char *__lsan_default_suppressions(void) {
  return "leak:libfontconfig";
}
const char *__lsan_default_options(void) {
  return "print_suppressions=0";
}
#endif

// ---------------------------------------------------------------- shapes

typedef struct Sheet {
  cairo_t *cairo;
  double scale; // pixels per point; 0: there are no pixels
} Sheet;

static void set_ink(const Sheet *p, Ink ink) {
  ca.set_source_rgb(p->cairo, ((ink >> 16) & 255) / 255.0, ((ink >> 8) & 255) / 255.0,
                    (ink & 255) / 255.0);
}

static void set_stroke(const Sheet *p, Stroke s) {
  double lengths[4];
  int count = dash_pattern(s.dash, lengths);
  for (int i = 0; i < count; i++) lengths[i] *= s.width;
  ca.set_line_width(p->cairo, s.width);
  ca.set_dash(p->cairo, lengths, s.width > 0 ? count : 0, 0);
  set_ink(p, s.ink);
}

// Fills and strokes the path, and ends it.
static void paint(const Sheet *p, const Shape *s) {
  if (s->fill != INK_NONE) {
    set_ink(p, s->fill);
    ca.fill_preserve(p->cairo);
  }
  if (s->stroke.ink != INK_NONE) {
    set_stroke(p, s->stroke);
    ca.stroke_preserve(p->cairo);
  }
  ca.new_path(p->cairo);
}

// Cairo computes with whole numbers of limited size.
static double near(double v) {
  return fmin(fmax(v, -1e5), 1e5);
}

static double on_pixel(const Sheet *p, double v) {
  return p->scale > 0 ? round(near(v) * p->scale) / p->scale : near(v);
}

static void add_frame(const Sheet *p, Frame f) { // with edges between pixels
  double x = on_pixel(p, f.x), y = on_pixel(p, f.y);
  ca.rectangle(p->cairo, x, y, on_pixel(p, f.x + fmax(0, f.width)) - x,
               on_pixel(p, f.y + fmax(0, f.height)) - y);
}

static const double OVERLAP =
    0.15; // points: readers of PDF show a gap between boxes that only touch

static void draw_box(const Sheet *p, const Shape *s) {
  Frame f = s->frame;
  if (!isfinite(f.x + f.y + f.width + f.height)) return;
  if (s->stroke.ink != INK_NONE)
    ca.rectangle(p->cairo, near(f.x), near(f.y), near(fmax(0, f.width)), near(fmax(0, f.height)));
  else if (p->scale > 0)
    add_frame(p, f);
  else
    add_frame(p,
              (Frame){f.x - OVERLAP, f.y - OVERLAP, f.width + 2 * OVERLAP, f.height + 2 * OVERLAP});
  paint(p, s);
}

static void draw_path(const Sheet *p, const Shape *s) {
  for (int i = 0; i < s->spot_count; i++)
    if (!isfinite(s->spots[i].x + s->spots[i].y)) return;
  for (int i = 0; i < s->spot_count; i++)
    ca.line_to(p->cairo, near(s->spots[i].x), near(s->spots[i].y));
  if (s->closed) ca.close_path(p->cairo);
  paint(p, s);
}

static void draw_circle(const Sheet *p, const Shape *s) {
  Spot m = s->spots[0];
  if (!isfinite(m.x + m.y + s->radius)) return;
  ca.arc(p->cairo, near(m.x), near(m.y), near(fmax(0, s->radius)), 0, 2 * M_PI);
  ca.close_path(p->cairo);
  paint(p, s);
}

static void draw_letters(const Sheet *p, const Shape *s) {
  const Lettering *l = &s->lettering;
  cairo_text_extents_t room;
  Spot at = s->spots[0];
  if (!isfinite(at.x + at.y) || !(l->size > 0)) return;
  ca.save(p->cairo);
  ca.translate(p->cairo, near(at.x), near(at.y));
  if (l->upright) ca.rotate(p->cairo, -M_PI / 2);
  ca.select_font_face(p->cairo, FONT, CAIRO_FONT_SLANT_NORMAL,
                      l->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  ca.set_font_size(p->cairo, l->size);
  ca.text_extents(p->cairo, s->text, &room);
  double share = l->align == ALIGN_LEFT ? 0 : l->align == ALIGN_CENTRE ? 0.5 : 1;
  ca.move_to(p->cairo, -share * room.x_advance, l->centred ? 0.35 * l->size : 0);
  set_ink(p, l->ink);
  ca.show_text(p->cairo, s->text);
  ca.restore(p->cairo);
  ca.new_path(p->cairo);
}

static void draw_shape(const Sheet *p, const Figure *f, const Shape *s) {
  static void (*const DRAW[])(const Sheet *, const Shape *) = {
      [SHAPE_BOX] = draw_box,
      [SHAPE_PATH] = draw_path,
      [SHAPE_CIRCLE] = draw_circle,
      [SHAPE_LETTERS] = draw_letters,
  };
  ca.save(p->cairo);
  if (s->clip >= 0) {
    add_frame(p, f->clips.at[s->clip]);
    ca.clip(p->cairo);
  }
  DRAW[s->kind](p, s);
  ca.restore(p->cairo);
}

// Letters are not fitted to pixels: a text is as wide in every picture.
static void choose_letters(cairo_t *cairo) {
  cairo_font_options_t *options = ca.font_options_create();
  ca.font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  ca.font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  ca.font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  ca.set_font_options(cairo, options);
  ca.font_options_destroy(options);
}

static bool judge(cairo_status_t status, Err *err) {
  if (status == CAIRO_STATUS_SUCCESS) return true;
  if (status == CAIRO_STATUS_NO_MEMORY) out_of_memory();
  return fail(err, ERR_FILE, "cairo cannot draw a picture: %s", ca.status_to_string(status));
}

// scale: units of the surface per point.
static bool draw_figure(const Figure *f, cairo_surface_t *surface, double scale, bool has_pixels,
                        Err *err) {
  Sheet p = {ca.create(surface), has_pixels ? scale : 0};
  ca.scale(p.cairo, scale, scale);
  ca.set_line_join(p.cairo, CAIRO_LINE_JOIN_ROUND);
  choose_letters(p.cairo);
  set_ink(&p, INK_WHITE);
  ca.paint(p.cairo);
  for (int i = 0; i < f->shapes.count; i++) draw_shape(&p, f, &f->shapes.at[i]);
  cairo_status_t status = ca.status(p.cairo);
  ca.destroy(p.cairo);
  return judge(status, err);
}

// ---------------------------------------------------------------- files

static cairo_status_t take_bytes(void *out, const unsigned char *bytes, unsigned length) {
  text_add_bytes(out, (const char *)bytes, length);
  return CAIRO_STATUS_SUCCESS;
}

static void put_number(unsigned char at[4], unsigned v) { // the highest byte first
  for (int i = 0; i < 4; i++) at[i] = (unsigned char)(v >> (24 - 8 * i));
}

static unsigned checksum(const unsigned char *bytes, int count) { // CRC-32 of PNG, annex D
  unsigned sum = ~0u;
  for (int i = 0; i < count; i++) {
    sum ^= bytes[i];
    for (int k = 0; k < 8; k++) sum = sum & 1 ? sum >> 1 ^ 0xEDB88320u : sum >> 1;
  }
  return ~sum;
}

enum { PNG_HEAD = 8 + 25 }; // bytes before the second chunk: signature, IHDR

// Chunk pHYs, which cairo does not write: programs show the picture in its size.
static void add_resolution(Text *out, double scale) {
  unsigned char chunk[21] = {0, 0, 0, 9, 'p', 'H', 'Y', 's'};
  unsigned a_metre = (unsigned)lrint(scale * INCH / 0.0254);
  put_number(chunk + 8, a_metre);
  put_number(chunk + 12, a_metre);
  chunk[16] = 1; // the unit: metres
  put_number(chunk + 17, checksum(chunk + 4, 13));
  text_add_bytes(out, (const char *)chunk, sizeof chunk);
}

bool figure_png(const Figure *f, double scale, Text *out, Err *err) {
  double width = ceil(f->width * scale), height = ceil(f->height * scale);
  if (!figure_cairo_ready(err)) return false;
  if (!(width >= 1 && width <= SIDE_MOST && height >= 1 && height <= SIDE_MOST &&
        width * height <= PIXELS_MOST))
    return fail(err, ERR_LIMIT, "a picture of %.0f by %.0f pixels is too large for a PNG file",
                width, height);
  Text bytes;
  text_init(&bytes);
  cairo_surface_t *surface = ca.image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height);
  bool done = judge(ca.surface_status(surface), err) && draw_figure(f, surface, scale, true, err) &&
              judge(ca.surface_write_to_png_stream(surface, take_bytes, &bytes), err);
  ca.surface_destroy(surface);
  if (done) {
    text_add_bytes(out, bytes.at, PNG_HEAD);
    add_resolution(out, scale);
    text_add_bytes(out, bytes.at + PNG_HEAD, bytes.length - PNG_HEAD);
  }
  text_done(&bytes);
  return done;
}

bool figure_pdf(const Figure *f, Text *out, Err *err) {
  double scale = PDF_INCH / INCH, width = f->width * scale, height = f->height * scale;
  if (!figure_cairo_ready(err)) return false;
  if (!(width > 0 && width <= PDF_MOST && height > 0 && height <= PDF_MOST))
    return fail(err, ERR_LIMIT, "a picture of %.0f by %.0f points is too large for a PDF file",
                width, height);
  Text bytes;
  text_init(&bytes);
  cairo_surface_t *surface = ca.pdf_surface_create_for_stream(take_bytes, &bytes, width, height);
  ca.pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, f->title);
  ca.pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, "entrain");
  ca.pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, NULL); // none: equal bytes
  bool done = draw_figure(f, surface, scale, false, err);
  ca.surface_finish(surface);
  done = done && judge(ca.surface_status(surface), err);
  ca.surface_destroy(surface);
  if (done) text_add_bytes(out, bytes.at, bytes.length);
  text_done(&bytes);
  return done;
}
