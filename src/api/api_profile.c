// The public library: profile likelihood.
#include <math.h>
#include <string.h>

#include "api/api.h"
#include "api/api_figures.h"
#include "report/profile_figure.h"
#include "report/profile_report.h"
#include "study/profile_run.h"

struct EntrainProfile {
  Profile profile; // only for the type: an EntrainProfile * points to a Profile
};

static const Profile *profile_of(const EntrainProfile *p) {
  return &p->profile;
}

// ---------------------------------------------------------------- the run

typedef struct ProfileRelay {
  EntrainProfileListener *listener;
  void *data;
} ProfileRelay;

static bool relay(void *data, const Profile *p, bool fitting) {
  const ProfileRelay *to = data;
  EntrainProfileProgress told = {sizeof told, fitting, p->sides, p->sides_done};
  if (!to->listener) return true;
  PatienceLeft around = patience_leave();
  return patience_return(around, to->listener(to->data, &told));
}

static bool find_number(const Problem *p, const char *name, int *number, Err *err) {
  const char **known = NULL;
  Arena *a = arena_new();
  known = ARENA_ARRAY(a, const char *, p->unknown_count + 1);
  *number = -1;
  for (int i = 0; i < p->unknown_count; i++) {
    known[i] = p->unknowns[i].name;
    if (strcmp(known[i], name) == 0) *number = i;
  }
  const char *near = nearest_name(name, known, p->unknown_count);
  if (*number < 0 && near)
    fail(err, ERR_NAME, "'%s' is not estimated; did you mean '%s'?", name, near);
  else if (*number < 0)
    fail(err, ERR_NAME, "'%s' is not estimated", name);
  arena_free(a);
  return *number >= 0;
}

static bool find_numbers(const Problem *p, const EntrainProfileRequest *request, int *numbers,
                         Err *err) {
  for (int i = 0; request->names && i < request->count; i++) {
    if (!request->names[i]) return fail(err, ERR_NAME, "name number %d is missing", i + 1);
    if (!find_number(p, request->names[i], &numbers[i], err)) return false;
    for (int k = 0; k < i; k++)
      if (numbers[k] == numbers[i])
        return fail(err, ERR_NAME, "'%s' is named twice", request->names[i]);
  }
  return true;
}

static bool request_is_sound(const EntrainProfileRequest *r, Err *err) {
  if (!(r->level >= PROFILE_LEVEL_LEAST && r->level <= PROFILE_LEVEL_MOST)) // NaN fails
    return fail(err, ERR_VALUE, "the level must be from %g to %g, not %g", PROFILE_LEVEL_LEAST,
                PROFILE_LEVEL_MOST, r->level);
  if (r->count < 0) return fail(err, ERR_VALUE, "there cannot be %d names", r->count);
  if (!(r->range > 1 && r->range <= 1e9))
    return fail(err, ERR_VALUE, "the range must be above 1 and at most 1e9, not %g", r->range);
  return true;
}

bool entrain_profile_request(EntrainProfileRequest *out) {
  return API_GIVE(out, EntrainProfileRequest, .level = 0.95, .range = 1000);
}

EntrainProfile *entrain_profile_run(const EntrainProblem *problem,
                                    const EntrainProfileRequest *given,
                                    EntrainProfileListener *listener, void *data,
                                    EntrainError *error) {
  if (!problem) return api_none("problem", error);
  Err err = {0};
  ProfileRelay to = {listener, data};
  EntrainProfileRequest full = {.size = sizeof full}, *request = &full;
  if (!given)
    entrain_profile_request(request);
  else if (!API_TAKE(request, EntrainProfileRequest, given, &err))
    return api_fine(&err, error), NULL;
  Arena *a = arena_new();
  int *numbers = ARENA_ARRAY(a, int, request->count > 0 ? request->count + 1 : 1);
  Profile *p = NULL;
  if (request_is_sound(request, &err) && find_numbers(problem->problem, request, numbers, &err)) {
    ProfileRequest asked = {request->names ? numbers : NULL, request->count, request->level,
                            request->range};
    p = profile_run(problem->problem, &asked, relay, &to, &err);
  }
  api_publish(&err, error);
  arena_free(a);
  return (EntrainProfile *)p;
}

void entrain_profile_free(EntrainProfile *p) {
  if (p) profile_free(&p->profile);
}

// ---------------------------------------------------------------- results

bool entrain_profile_is_sound(const EntrainProfile *p) {
  if (!p) return false;
  return profile_is_sound(profile_of(p));
}
double entrain_profile_threshold(const EntrainProfile *p) {
  if (!p) return nan("");
  return profile_of(p)->threshold;
}
bool entrain_profile_state(const EntrainProfile *profile, EntrainProfileState *out) {
  if (!profile) return API_GIVE(out, EntrainProfileState, 0) && false;
  const Profile *p = profile_of(profile);
  const FitResult *r = p->fit;
  return API_GIVE(
      out, EntrainProfileState, .outcome = fit_outcome_word(r->outcome), .message = r->message,
      .verdict = fit_has_result(r) ? fit_verdict_word(r->verdict) : "", .why = r->why,
      .objective = r->objective, .level = p->level, .threshold = p->threshold,
      .freedom = p->freedom, .sound = profile_is_sound(p), .stopped = p->stopped, .rough = p->rough,
      .roughness = p->roughness, .restarts = p->restarts, .simulations = p->work.simulations,
      .sensitivity_simulations = p->work.sensitivity_simulations, .seconds = p->seconds,
      .values = r->x);
}

int entrain_profile_count(const EntrainProfile *p) {
  if (!p) return 0;
  return profile_of(p)->count;
}

bool entrain_profile_curve(const EntrainProfile *profile, int i, EntrainProfiled *out) {
  if (!profile || !out) return false;
  const Profile *p = profile_of(profile);
  if (i < 0 || i >= p->count) return false;
  const ProfileCurve *c = &p->curves[i];
  const Unknown *f = &p->problem->unknowns[c->number];
  bool flat = c->verdict == PROFILE_IS_FLAT || c->verdict == PROFILE_IS_STRUCTURAL;
  return API_GIVE(
      out, EntrainProfiled, .name = f->name, .unit = f->unit ? f->unit : "",
      .estimate = p->fit->x[c->number], .std_error = c->std_error, .ci_low = c->low,
      .ci_high = c->high, .low = c->side[0].at, .high = c->side[1].at,
      .low_end = profile_end_word(c->side[0].end), .high_end = profile_end_word(c->side[1].end),
      .verdict = profile_verdict_word(c->verdict), .remark = c->remark, .points = c->point_count,
      .flat = flat, .flat_low = flat ? c->side[0].flat_to : nan(""),
      .flat_high = flat ? c->side[1].flat_to : nan(""), .moves_along = c->moves,
      .moves_along_count = c->move_count, .low_highest = c->side[0].highest,
      .high_highest = c->side[1].highest, .low_jump = c->side[0].jump, .high_jump = c->side[1].jump,
      .factor = c->factor);
}

bool entrain_profile_point(const EntrainProfile *profile, int i, int k, EntrainProfilePoint *out) {
  if (!profile || !out) return false;
  const Profile *p = profile_of(profile);
  if (i < 0 || i >= p->count || k < 0 || k >= p->curves[i].point_count) return false;
  const ProfilePoint *at = &p->curves[i].points[k];
  return API_GIVE(out, EntrainProfilePoint, at->value, at->objective, at->ratio, at->x);
}

int entrain_profile_note_count(const EntrainProfile *p) {
  if (!p) return 0;
  return profile_of(p)->note_count;
}
const char *entrain_profile_note(const EntrainProfile *p, int i) {
  if (!p) return NULL;
  return i >= 0 && i < profile_of(p)->note_count ? profile_of(p)->notes[i] : NULL;
}

// ---------------------------------------------------------------- texts and pictures

char *entrain_profile_report(const EntrainProfile *p, int width, bool colour) {
  if (!p) return NULL;
  Text t;
  text_init(&t);
  profile_text(&t, profile_of(p), api_style(width, colour));
  return t.at;
}

char *entrain_profile_plot(const EntrainProfile *p, int width, int height, bool colour) {
  if (!p) return NULL;
  Text t;
  text_init(&t);
  profile_plot(&t, profile_of(p), (ScreenStyle){api_size(width), api_size(height), colour});
  return t.at;
}

char *entrain_profile_json(const EntrainProfile *p) {
  if (!p) return NULL;
  Text t;
  text_init(&t);
  profile_json(&t, profile_of(p), entrain_version());
  return t.at;
}

char *entrain_profile_csv(const EntrainProfile *p) {
  if (!p) return NULL;
  Text t;
  text_init(&t);
  profile_csv(&t, profile_of(p));
  return t.at;
}

char *entrain_profile_svg(const EntrainProfile *p) {
  if (!p) return NULL;
  Arena *a = arena_new();
  return api_svg(profile_figure(a, profile_of(p)), a);
}

char *entrain_profile_png(const EntrainProfile *p, size_t *length) {
  if (!p) return NULL;
  Arena *a = arena_new();
  return api_png(profile_figure(a, profile_of(p)), a, length);
}

EntrainFigures *entrain_profile_figures(const EntrainProfile *p) {
  if (!p) return NULL;
  FigureList *l = figure_list_new();
  figure_list_add(l, "profiles", NULL, profile_figure(l->arena, profile_of(p)));
  return api_figures(l);
}
