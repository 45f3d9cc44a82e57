// Shared by the readers of the parts of a problem file: messages with places, numbers, names. Private to this layer.
#pragma once
#include "base/yaml.h"
#include "problem/decimation.h"
#include "problem/problem.h"

// The attributes of an unknown: p: {start: 15, min: 0.1, max: 200, ...}
typedef struct UnknownSpec {
  double start, min, max;
  bool log, has_prior, per_experiment, fixed;
  bool for_estimate; // an entry of 'estimate': values may come from data or differ by experiment
  bool has_default;  // start is a value of the model
  double prior_mean, prior_sd;
  double fd_step; // 0: as the option says
  const Yaml *node;
} UnknownSpec;

typedef struct Estimate { // an entry of 'estimate'
  const char *name;
  int parameter;
  UnknownSpec spec;
  UnknownSpec *by_experiment; // NULL: the same in all
  bool *given;                // by experiment: the start value is given for it
} Estimate;

typedef struct SetValue { // an entry of 'set'
  int parameter;
  double value;
  bool from_data; // value follows from so many samples, 0: as is usual
  int samples;
  const Yaml *node;
} SetValue;

typedef enum SensorKind { SENSOR_GAIN, SENSOR_OFFSET, SENSOR_DELAY, SENSOR_COUNT } SensorKind;
extern const char *const SENSOR_NAMES[SENSOR_COUNT];

// Gain, offset or delay of a measured quantity. Experiments in which it is unknown share a parameter of the model; those in
// which it is given share another.
typedef struct Sensor {
  const char *measured;
  SensorKind kind;
  bool free;
  int parameter;
  const char *unit;
  UnknownSpec *spec; // by experiment; node NULL: not used
} Sensor;

typedef struct InputColumn { // that an input of an experiment is read from
  const char *name;
  int column;
  InputKind kind;
} InputColumn;

typedef struct DataFile {
  const char *path;
  const char
      *time;   // the column that was named; the length of the table of a MAT file follows from it
  bool by_row; // blank rows count
  Table *table;
} DataFile;

typedef struct ExperimentReader { // an experiment that is being read
  const Yaml *node;
  const char *path; // of the data
  const char *name;
  const char *label; // of a window by 'split', NULL: the whole file
  double from, to;   // of 'window', infinite: open
  const Table *table;
  int rows_before,
      rows_after;    // of the same record around the table, which 'window' or 'split' cut off
  const Table *full; // with all samples where 'every' leaves some out, else NULL
  int full_last;     // as last, of these
  Decimation every;
  double cutoff;           // of its filter in Hz, 0: none
  int unscored;            // first rows that are not compared
  int left_out;            // samples that it cannot give
  int time;                // column
  const char *column_unit; // of its numbers, which became s: 'unit' of 'time'; NULL: none
  bool has_first_time;
  Timestamp first_time;   // of the file, if its times are times of day: all times count from it
  const char *epoch_unit; // these were numbers since 1970 in this unit; NULL: texts
  double epoch_parts, epoch_first;  // of a second; the first number
  const ColumnOrigin *epoch_origin; // the same, exact; NULL: it is not known better
  bool without_times;               // it numbers the rows
  int first, last;                  // rows in the window
  double origin, start;             // both as in the data
  double restart;                   // as in the data, NaN: none
  const double *since;              // times of the rows in the window, counted from origin
  const char *interpolation;        // NULL: the option
  ARRAY(SetValue) set;
  ARRAY(InputColumn) inputs; // those that have a column
  int number;                // in the file
  bool validation;
  ARRAY(NamedWindow) windows;
} ExperimentReader;

typedef struct ProblemReader {
  Problem *problem;
  Arena *arena;                      // of the problem
  Arena *scratch;                    // freed after reading
  const Source *source;              // of the problem file
  const struct ProblemSource *given; // what it is made of besides
  const Override *overrides;         // of a model of memory
  int override_count;
  const char *folder;
  Yaml *root;
  ARRAY(const char *) libraries;    // folders
  ARRAY(const char *) data_folders; // searched for data that do not lie beside the problem file
  const Source *model_source;
  const AstModel *ast;
  Flat *flat; // the model without settings: names, defaults
  ARRAY(Estimate) estimates;
  ARRAY(Sensor) sensors;
  ARRAY(DataFile) files;
  ExperimentReader *experiments; // those to be fitted, then those of role validation
  int experiment_count, experiment_room, fit_count;
  int fit_measured; // measured expressions of those to be fitted, the first ones
  Err *err;
} ProblemReader;

// ---- messages: all return false

bool reader_fail(ProblemReader *r, const Yaml *at, ErrCode code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool reader_fail_key(ProblemReader *r, const Yaml *at, ErrCode code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool reader_fail_place(ProblemReader *r, Place at, ErrCode code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// Adopts an error: unchanged if it has a line, else at the node.
bool reader_adopt(ProblemReader *r, const Yaml *at, const Err *inner);
void reader_warn(ProblemReader *r, Place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// "there is no <what> '<name>'; did you mean '...'?", or with a list of the known names
bool reader_unknown(ProblemReader *r, Place at, const char *what, const char *name,
                    const char *const *known, int count);

// ---- values

// what: "start of p", for messages.
bool reader_text(ProblemReader *r, const Yaml *n, const char *what, const char **out);
// A number, or an expression of numbers and constants of the model. It may be infinite only if allowed.
bool reader_number(ProblemReader *r, const Yaml *n, const char *what, bool infinite, double *out);
bool reader_flag(ProblemReader *r, const Yaml *n, const char *what, bool *out);
// A mapping (or nothing) with only these keys.
bool reader_keys(ProblemReader *r, const Yaml *n, const char *what, const char *const *keys,
                 int count);
bool reader_map(ProblemReader *r, const Yaml *n, const char *what);

// An expression in the names of a model, from the text at a place in the problem file.
bool reader_expression(ProblemReader *r, Flat *f, const char *text, Place at, bool quoted,
                       const Ast **tree, Expr *out);

bool reader_is_condition(const Ast *e); // true or false, not a number

const char *reader_path(ProblemReader *r, const char *path); // relative to the problem file
// Where a data file is: relative to the problem file, else in the first data folder that has it. If it is nowhere, the first
// place. A path from the root is itself.
const char *reader_data_path(ProblemReader *r, const char *path);
// The places that are looked at, from 0; NULL: no more.
const char *reader_data_place(ProblemReader *r, const char *path, int i);
const Table *reader_table(const ProblemReader *r, const char *name); // in memory; NULL: none
// Says at the node which places of a data file were looked at.
bool reader_fail_no_data(ProblemReader *r, const Yaml *at, const char *path);

// ---- parts of the problem

bool read_unknown_spec(ProblemReader *r, const char *name, const Yaml *n, UnknownSpec *spec);
// Bounds, scale and start value of an unknown fit together.
bool check_unknown_spec(ProblemReader *r, const char *name, const Yaml *n, const UnknownSpec *s);
bool read_estimates(ProblemReader *r);
// The parameter that a key names; verb: "estimate", "set".
bool read_parameter_name(ProblemReader *r, const Yaml *n, const char *verb, int *parameter);
bool read_unknowns(ProblemReader *r);

bool apply_model_settings(ProblemReader *r, const ProblemSetting *settings, int count);
bool apply_settings(ProblemReader *r, const ProblemSetting *settings, int count);

bool read_options(ProblemReader *r);
bool read_gains(ProblemReader *r);
bool read_constraints(ProblemReader *r); // after read_unknowns
bool judge_constraints(ProblemReader *r,
                       const Yaml *n); // whether they can hold and the method supports them

bool read_experiments(
    ProblemReader *r); // names, data, windows, settings; before the model is built
// The table of e->path and the column of its times.
bool read_table(ProblemReader *r, ExperimentReader *e);
bool check_times(ProblemReader *r, const ExperimentReader *e); // they increase
// Median interval between samples that are not missing; between all if there is only one, or if y is NULL. 0: one row.
double usual_interval(ProblemReader *r, const double *time, const double *y, int rows);
// Of inputs of the experiment that have none of their own.
InputKind reader_interpolation(const ProblemReader *r, const ExperimentReader *e);
// The table with other times, in s.
void set_times(ProblemReader *r, ExperimentReader *e, const double *times);
// A time of the experiment: a number, or a time of day if those of the data are such.
// "from 1 to 2", "from 1 on", "until 2": as messages tell it.
enum { SPAN_TEXT = 80 };
const char *window_span(double from, double to, char out[SPAN_TEXT]);
// What times of the experiment are in, for messages: " s", " s (the ms of column 't' become s)", "".
const char *reader_time_unit(ProblemReader *r, const ExperimentReader *e);
bool reader_time(ProblemReader *r, const ExperimentReader *e, const Yaml *n, const char *what,
                 bool infinite, double *out);
bool read_experiment_inputs(ProblemReader *r); // after the model is built
bool read_channels(ProblemReader *r);
bool read_experiment_values(ProblemReader *r); // the parameters of each experiment
bool read_weights(ProblemReader *r);           // of the samples; after all of these
bool read_windows(ProblemReader *r, ExperimentReader *e);
// The rows of a table, whose times increase, between e->from and e->to: first..last-1, none if first = last.
void window_rows(const ExperimentReader *e, const Table *t, int *first, int *last);
// -1 and an error at the place if the data have no such column, or if it has texts.
int reader_column(ProblemReader *r, const Table *t, Place at, const char *name);
bool reader_sound_column(ProblemReader *r, const Table *t, int column); // false, an error: a fault
int reader_any_column(ProblemReader *r, const Table *t, Place at, const char *name); // texts or not
