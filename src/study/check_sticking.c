#include "study/check_sticking.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/patience.h"
#include "base/text.h"
#include "residual/varied_problem.h"

// The width of a smooth law: the largest that changes no measured value by more than this.
static const double ALLOWED = 0.1;        // of sigma
static const double ALLOWED_RANGE = 1e-3; // of the range of the data, where sigma is not given
static const double WIDEST = 0.1;         // of the peak of the speed
static const double CHEAPER = 1.25;       // so many times fewer evaluations are worth a word
enum { WIDTHS = 13 };                     // three for each decade

typedef struct StuckRun {
  const MeasuredData *data;
  double **r; // by channel and sample: model - data
  int n;      // unknowns
} StuckRun;

typedef struct Sticking {
  Check *c;
  const double *x;
  StuckSum stuck;
  StuckRun before;
  long rhs, soft_rhs;
  double change; // in units of what is allowed
  const char *channel;
  double channel_change;
  bool of_sigma;
} Sticking;

static void take_residuals(void *data, const ResidualBlock *b) {
  const StuckRun *s = data;
  double *r = s->r[channel_number(s->data, b->experiment, b->channel)] + b->first;
  for (int i = 0; i < b->rows; i++) r[i] = b->scale[i] > 0 ? b->column[s->n][i] / b->scale[i] : 0;
}

static bool simulate(Arena *a, EvalWork *w, const double *x, Budget *b, StuckRun *out) {
  const Fitting *f = eval_fitting(w);
  const Problem *p = f->problem;
  *out = (StuckRun){f->data, ARENA_ARRAY(a, double *, f->data->channel_count + 1), f->n};
  for (int e = 0; e < p->experiment_count; e++)
    for (int k = 0; k < p->experiments[e].channel_count; k++)
      out->r[channel_number(f->data, e, k)] =
          ARENA_ARRAY(a, double, p->experiments[e].channels[k].count + 1);
  EvalSpec spec = eval_spec(f, b);
  spec.slopes = true; // as a fit needs them
  return evaluate_rows(w, &spec, x, take_residuals, out) && patience_asks();
}

// ---------------------------------------------------------------- the smooth law

static void compare_channel(Sticking *s, const StuckRun *soft, int e, int k) {
  const Problem *p = s->c->problem;
  const Channel *ch = &p->experiments[e].channels[k];
  int at = channel_number(s->before.data, e, k);
  bool given = sigma_is_given(ch);
  double most = 0, unit = given ? ch->sigma : s->before.data->channels[at].range;
  for (int i = 0; i < ch->count; i++) most = fmax(most, fabs(soft->r[at][i] - s->before.r[at][i]));
  double change = most / unit, share = change / (given ? ALLOWED : ALLOWED_RANGE);
  if (!(share > s->change) && s->channel) return;
  s->change = share, s->channel_change = change, s->of_sigma = given;
  s->channel = check_channel_label(s->c, e, k);
}

// false: it cannot be simulated.
static bool try_widths(Sticking *s, const Soft *softs) {
  const Problem *p = s->c->problem;
  Arena *a = arena_new();
  Problem *soft = problem_softened(a, p, softs, s->stuck.count);
  bool done = false;
  if (soft) {
    Fitting *f = fitting_new(soft);
    EvalWork *w = eval_work_new(f, 1, NULL);
    Budget b = {.max_simulations = p->options.max_simulations};
    StuckRun after;
    done = simulate(a, w, s->x, &b, &after);
    s->soft_rhs = b.used.rhs, s->change = 0, s->channel = NULL;
    for (int e = 0; e < p->experiment_count && done; e++)
      for (int k = 0; k < p->experiments[e].channel_count; k++) compare_channel(s, &after, e, k);
    eval_work_free(w);
    fitting_free(f);
  }
  arena_free(a);
  return done;
}

// 1, 2 or 5 times a power of ten, not above.
static double round_width(double width) {
  double power = pow(10, floor(log10(width))), digit = width / power;
  return power * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1);
}

static double width_of(const Stuck *stuck, int number) {
  return round_width(WIDEST * stuck->peak * pow(10, -number / 3.0));
}

static bool find_widths(Sticking *s, Soft *softs) {
  for (int number = 0; number < WIDTHS && patience_asks(); number++) {
    for (int i = 0; i < s->stuck.count; i++)
      softs[i] = (Soft){s->stuck.at[i].event, width_of(&s->stuck.at[i], number)};
    if (try_widths(s, softs) && s->change <= 1) return true;
  }
  return false;
}

// ---------------------------------------------------------------- words

static bool is_name(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++)
    if (!isalnum((unsigned char)text[i]) && !strchr("_.[]", text[i])) return false;
  return length > 0;
}

// The quantity whose zero it is: v of sign(v) and of v > 0, "w" of anything else.
static const char *quantity(Arena *a, const Event *e) {
  size_t length = strlen(e->text), sign = strlen("sign(");
  if (length > sign && !strncmp(e->text, "sign(", sign) && e->text[length - 1] == ')') {
    const char *inner = arena_print(a, "%.*s", (int)(length - sign - 1), e->text + sign);
    return is_name(inner, strlen(inner)) ? inner : arena_print(a, "(%s)", inner);
  }
  size_t name = strcspn(e->text, " <>");
  const char *rest = e->text + name + strspn(e->text + name, " <>=");
  return is_name(e->text, name) && !strcmp(rest, "0") ? arena_print(a, "%.*s", (int)name, e->text)
                                                      : "w";
}

static const char *place(Check *c, const Event *e) {
  const Flat *f = c->problem->model->flat;
  LineName line = flat_line(f, e->line);
  const char *path = c->problem->model_path, *slash = path ? strrchr(path, '/') : NULL;
  if (!path || strchr(line.at, ':')) return arena_print(c->arena, "%s", line.at);
  return arena_print(c->arena, "%s:%s", slash ? slash + 1 : path, line.at);
}

static const Event *event_of(const Sticking *s, int i) {
  return &s->c->problem->model->flat->events.at[s->stuck.at[i].event];
}

static void tell_where(const Sticking *s, Text *t) {
  text_print(t, "The motion sticks at ");
  for (int i = 0; i < s->stuck.count; i++) {
    const Event *e = event_of(s, i);
    long times = s->stuck.at[i].times;
    text_print(t, "%s'%s' (%s, %ld time%s)",
               i == 0                   ? ""
               : i + 1 < s->stuck.count ? ", "
                                        : " and ",
               e->text, place(s->c, e), times, times == 1 ? "" : "s");
  }
  text_print(t, " in the simulations at the start values. ");
}

static void tell_form(const Sticking *s, const Soft *softs, Text *t) {
  for (int i = 0; i < s->stuck.count; i++)
    text_print(t, "%stanh(%s/%.4g)",
               i == 0                   ? ""
               : i + 1 < s->stuck.count ? ", "
                                        : " and ",
               quantity(s->c->arena, event_of(s, i)), softs[i].width);
  text_print(t, s->stuck.count == 1 ? " in its place" : " in their places");
}

static void tell_change(const Sticking *s, Text *t) {
  if (s->of_sigma)
    text_print(t, " (%s changes by at most %.1g sigma)", s->channel, s->channel_change);
  else
    text_print(t, " (%s changes by at most %.1g %% of its range)", s->channel,
               100 * s->channel_change);
}

static void tell_cost(const Sticking *s, const Soft *softs, Text *t) {
  double ratio = (double)s->rhs / (double)(s->soft_rhs > 0 ? s->soft_rhs : 1);
  if (ratio >= CHEAPER) {
    text_print(t, "Write ");
    tell_form(s, softs, t);
    text_print(t, ": %.2g times fewer evaluations of the equations", ratio);
  } else if (1 / ratio >= CHEAPER) {
    text_print(t, "That is the cheaper form: ");
    tell_form(s, softs, t);
    text_print(t, " needs %.2g times as many evaluations of the equations", 1 / ratio);
  } else {
    tell_form(s, softs, t);
    text_print(t, " needs about as many evaluations of the equations");
  }
  tell_change(s, t);
  text_print(t, ".");
}

void check_sticking(Check *c, EvalWork *w, const double *x) {
  const Problem *p = c->problem;
  Sticking s = {.c = c, .x = x};
  Soft softs[STUCK_MOST];
  Budget b = {.max_simulations = p->options.max_simulations, .stuck = &s.stuck};
  if (p->closed || !problem_simulates(p) || !p->model->ne) return;
  Arena *a = arena_new();
  if (simulate(a, w, x, &b, &s.before) && s.stuck.count) {
    Text t;
    text_init(&t);
    s.rhs = b.used.rhs;
    tell_where(&s, &t);
    if (find_widths(&s, softs))
      tell_cost(&s, softs, &t);
    else
      text_print(&t, "Its force is computed as it is; no smooth law was found that changes the "
                     "measured quantities little.");
    if (patience_asks()) check_add(c, FINDING_NOTE, "start", "%s", t.at);
    text_done(&t);
  }
  arena_free(a);
}
