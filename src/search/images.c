#include "search/images.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/certificate.h"
#include "search/optima.h"

// Images of each kind, each of them a simulation, and how many of them a search may begin at.
enum { EXCHANGES_MOST = 20, SIGNS_MOST = 12, TURNS_MOST = 8, ALIASES_MOST = 12 };
enum { IMAGES_MOST = EXCHANGES_MOST + SIGNS_MOST + TURNS_MOST + ALIASES_MOST };
enum { EXCHANGES_TAKEN = 2, OTHERS_TAKEN = 3, MIDDLES_MOST = 20 };

typedef struct Images {
  Search *s;
  const double *x;
  Image at[IMAGES_MOST];
  int count, most; // most: with those of the present kind
} Images;

static bool is_inside(const Unknown *u, double x) {
  return x >= u->min && x <= u->max;
}

// Room for one more, with the numbers of x; NULL: there is none.
static double *next_image(Images *m) {
  return m->count < m->most ? search_copy(m->s, m->x) : NULL;
}

static void add_image(Images *m, ImageKind kind, double *x) {
  if (x && !optima_same_numbers(m->s, x, m->x))
    m->at[m->count++] = (Image){.kind = kind, .x = x, .objective = HUGE_VAL};
}

// ---------------------------------------------------------------- exchange

// The same name but for digits: k1 and k2, theta1.start and theta2.start.
static bool are_alike(const char *a, const char *b) {
  for (;;) {
    while (*a >= '0' && *a <= '9') a++;
    while (*b >= '0' && *b <= '9') b++;
    if (*a != *b) return false;
    if (!*a) return true;
    a++, b++;
  }
}

// Same unit, each inside the other's bounds, not of another size.
static bool can_exchange(const Images *m, int i, int j) {
  const Unknown *a = &m->s->problem->unknowns[i], *b = &m->s->problem->unknowns[j];
  double x = m->x[i], y = m->x[j];
  if (strcmp(a->unit, b->unit) != 0 || a->experiment != b->experiment || !(x * y > 0)) return false;
  double ratio = fabs(x / y);
  return ratio >= 0.1 && ratio <= 10 && is_inside(b, x) && is_inside(a, y);
}

static const char *next_digit(const char *name) { // before the experiment in brackets
  while (*name && *name != '[' && (*name < '0' || *name > '9')) name++;
  return name;
}

static bool has_same_digits(const char *a, const char *b) {
  for (;; a++, b++) {
    a = next_digit(a), b = next_digit(b);
    bool ends = !*a || *a == '[', other_ends = !*b || *b == '[';
    if (ends || other_ends) return ends == other_ends;
    if (*a != *b) return false;
  }
}

// What is numbered as i and j are: with m1 and m2 also k1 and k2. Two whole things change places.
static int exchange_group(const Images *m, int i, int j, double *x) {
  const Unknown *u = m->s->problem->unknowns;
  int count = 0;
  for (int p = 0; p < m->s->n; p++)
    for (int q = 0; q < m->s->n; q++) {
      bool one_of_them = has_same_digits(u[p].name, u[i].name) &&
                         has_same_digits(u[q].name, u[j].name) && are_alike(u[p].name, u[q].name);
      if (p == q || !one_of_them || !is_inside(&u[p], m->x[q]) || !is_inside(&u[q], m->x[p]))
        continue;
      x[p] = m->x[q], x[q] = m->x[p];
      count++;
    }
  return count;
}

// Alone, and with others that are numbered alike; those with similar names first, as far as there is room.
static void add_exchanges(Images *m) {
  const Unknown *u = m->s->problem->unknowns;
  m->most = m->count + EXCHANGES_MOST;
  for (int alike = 1; alike >= 0; alike--)
    for (int i = 0; i < m->s->n; i++)
      for (int j = i + 1; j < m->s->n; j++) {
        if (are_alike(u[i].name, u[j].name) != alike || !can_exchange(m, i, j)) continue;
        double *x = next_image(m);
        if (!x) return;
        x[i] = m->x[j], x[j] = m->x[i];
        add_image(m, IMAGE_EXCHANGE, x);
        double *group = alike ? next_image(m) : NULL;
        if (group && exchange_group(m, i, j, group) > 1) add_image(m, IMAGE_EXCHANGE, group);
      }
}

// ---------------------------------------------------------------- sign

static bool can_change_sign(const Images *m, int i) {
  return m->x[i] != 0 && is_inside(&m->s->problem->unknowns[i], -m->x[i]);
}

static void add_with_signs(Images *m, int i, int j) {
  double *x = can_change_sign(m, i) && can_change_sign(m, j) ? next_image(m) : NULL;
  if (!x) return;
  x[i] = -m->x[i], x[j] = -m->x[j];
  add_image(m, IMAGE_SIGN, x);
}

// All that can, single numbers, pairs.
static void add_signs(Images *m) {
  int n = m->s->n, count = 0;
  m->most = m->count + SIGNS_MOST;
  double *x = next_image(m);
  for (int i = 0; i < n; i++)
    if (can_change_sign(m, i)) x[i] = -m->x[i], count++;
  if (count > 2) add_image(m, IMAGE_SIGN, x); // else it is one of those below
  for (int i = 0; i < n; i++) add_with_signs(m, i, i);
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n && m->count < m->most; j++) add_with_signs(m, i, j);
}

// ---------------------------------------------------------------- turn and alias

static void add_with(Images *m, ImageKind kind, int i, double value) {
  double *x = is_inside(&m->s->problem->unknowns[i], value) ? next_image(m) : NULL;
  if (!x) return;
  x[i] = value;
  add_image(m, kind, x);
}

// Angles have both signs, or say what they are.
static void add_turns(Images *m) {
  m->most = m->count + TURNS_MOST;
  for (int i = 0; i < m->s->n; i++) {
    const Unknown *u = &m->s->problem->unknowns[i];
    bool degrees = strcmp(u->unit, "deg") == 0;
    if (!(u->min < 0) && !degrees && strcmp(u->unit, "rad") != 0) continue;
    add_with(m, IMAGE_TURN, i, m->x[i] - (degrees ? 360 : 2 * M_PI));
    add_with(m, IMAGE_TURN, i, m->x[i] + (degrees ? 360 : 2 * M_PI));
  }
}

static const double EVEN = 1e-3; // part of the interval by which it may vary

// The interval of samples, if all are equally far apart in all channels; 0: they are not.
static double common_interval(const Problem *p) {
  double h = 0;
  for (int e = 0; e < p->experiment_count; e++)
    for (int c = 0; c < p->experiments[e].channel_count; c++) {
      const Channel *ch = &p->experiments[e].channels[c];
      for (int i = 1; i < ch->count; i++) {
        double step = ch->t[i] - ch->t[i - 1];
        if (h == 0) h = step;
        if (fabs(step - h) > EVEN * h) return 0;
      }
    }
  return h;
}

static void add_aliases(Images *m) {
  double h = common_interval(m->s->problem);
  m->most = m->count + ALIASES_MOST;
  if (!(h > 0)) return;
  for (int i = 0; i < m->s->n; i++)
    for (int k = 0; k < 2; k++) {
      double period = (k ? 1 : 2 * M_PI) / h;
      add_with(m, IMAGE_ALIAS, i, period - m->x[i]);
      add_with(m, IMAGE_ALIAS, i, period + m->x[i]);
      add_with(m, IMAGE_ALIAS, i, m->x[i] - period);
    }
}

// ---------------------------------------------------------------- which are worth a search

static void evaluate_all(Images *m) {
  Search *s = m->s;
  EvalSpec spec = search_spec(s);
  long steps = 0;
  size_t n = (size_t)s->n;
  Arena *a = arena_new();
  double *x = ARENA_ARRAY(a, double, (size_t)m->count *n + 1);
  double *V = ARENA_ARRAY(a, double, m->count + 1);
  for (int k = 0; k < m->count; k++) memcpy(x + (size_t)k * n, m->at[k].x, n * sizeof *x);
  if (!s->many) s->many = many_points_new(s->work, s->problem->options.threads);
  many_values(s->many, &spec, x, m->count, V, &steps);
  search_note_steps(s, steps);
  for (int k = 0; k < m->count; k++) m->at[k].objective = V[k];
  arena_free(a);
}

static int by_objective(const void *a, const void *b) {
  const Image *x = a, *y = b;
  return (x->objective > y->objective) - (x->objective < y->objective);
}

// Numbers that change nothing, alone or together, have images everywhere: half way to them nothing changes either.
static bool is_in_a_valley(const Images *m, const Image *image) {
  double *middle = search_copy(m->s, m->x);
  for (int i = 0; i < m->s->n; i++) middle[i] = (m->x[i] + image->x[i]) / 2;
  return search_evaluate(m->s, 0, 1, middle) <= image->objective + optima_unit(m->s);
}

// Times the objective of the result: what a local search from an image of it may have to mend.
static const double NEARLY = 4;

int images_find(Search *s, const double *x, Image *images, int most) {
  Images m = {.s = s, .x = x};
  double nearly = NEARLY * (s->best.objective + certificate_numerical_floor(s->weighting));
  int count = 0, exchanges = 0, others = 0, middles = 0;
  add_exchanges(&m);
  bool few = m.count <= EXCHANGES_TAKEN;
  add_signs(&m);
  add_turns(&m);
  add_aliases(&m);
  bool alone = few && (m.count == 0 || m.at[m.count - 1].kind == IMAGE_EXCHANGE);
  if (!alone) {
    evaluate_all(&m);
    qsort(m.at, (size_t)m.count, sizeof *m.at, by_objective);
  }
  for (int k = 0; k < m.count && count < most; k++) {
    const Image *image = &m.at[k];
    bool exchange = image->kind == IMAGE_EXCHANGE;
    if (exchange ? exchanges == EXCHANGES_TAKEN : others == OTHERS_TAKEN) continue;
    if (!problem_satisfied(s->problem, image->x)) continue;
    if (!exchange && image->objective > nearly) continue;
    if (!exchange && (middles++ == MIDDLES_MOST || is_in_a_valley(&m, image))) continue;
    *(exchange ? &exchanges : &others) += 1;
    images[count++] = *image;
  }
  return count;
}
