// A model compiled for a purpose: which outputs, sensitivities to which parameters, how many parameter sets at once.
// `const System` is shared by threads; each thread has a SystemWork.
//
// The programs read two arrays: par (see ParLayout) and x, the states (in the augmented form followed by S).
#pragma once
#include "code/lower.h"
#include "expr/derive.h"
#include "model/mode_order.h"
#include "model/model.h"
#include "model/surface.h"
#include "num/pattern.h"
#include "num/product.h"

typedef struct SystemSpec {
  const Expr *outputs; // expressions of the model, any number
  int output_count;
  const int *parameters; // sensitivities to these (numbers of independent parameters)
  int parameter_count;
  int lanes;     // 1, 4 or 8 parameter sets side by side
  bool jacobian; // for implicit methods; lanes 1 only
  // And its derivatives by the parameters, for methods that differentiate themselves.
  bool jacobian_sens;
  CodeChoice code;
} SystemSpec;

// A Newton block that depends on the motion. Which of several roots is meant follows by continuity from the start: all
// kernels continue from the same anchors, roots at known points of the motion.
typedef struct Branch {
  int block; // of the graph
  int n, inputs;
  int at;       // first slot in an anchor: see NewtonData
  int start;    // its solution at the start among the results of start, -1 = none
  bool outside; // f does not contain it: steps of the motion do not care how fast it changes
} Branch;

typedef struct KernelBlock { // the same in a kernel: offsets into SystemWork.scratch
  int branch;
  int input, solution, anchor;
} KernelBlock;

// The compiled programs. Those that a system does not need are not compiled (code is NULL).
typedef enum SystemKernel {
  KERNEL_HOIST,    // par -> hoisted
  KERNEL_CLOCK,    // lanes > 1: CLOCK_LANES times -> functions of time alone, see system_set_times
  KERNEL_START,    // par -> x0, modes, x0_p, residual and size of each start condition
  KERNEL_RHS,      // par, x -> f
  KERNEL_RHS_SENS, // augmented: par, [x | S] -> [f | f_x S + f_p]; else par, x -> f, f_x, f_p
  KERNEL_JACOBIAN, // par, x -> f_x
  KERNEL_BY_TIME,  // par, x -> f_t; only where f depends on time or inputs
  KERNEL_JACOBIAN_SENS, // lanes are columns: par, x, [S | unit] -> derivatives of f_x and f_t
  KERNEL_OUTPUTS,       // par, x -> y, and with sensitivities y_x, y_p
  KERNEL_EVENTS,        // par, x -> switching functions
  KERNEL_EVENT_SCALES,  // par, x -> size of the terms of each switching function
  KERNEL_EVENT_SENS,    // par, x -> switching functions, their derivatives by x, p and t
  KERNEL_SLIDE, // par, x -> rates of the switching functions of surfaces, derivatives by x and p
  // Of models with discrete variables:
  KERNEL_LIVE_EVENTS, // par, x -> switching functions at an event
  KERNEL_NEEDED,      // par -> by event: whether anything depends on it between events
  KERNEL_JUMP,        // par, x -> what is held, states that jump, whether to terminate
  KERNEL_JUMP_SENS,   // par, x -> derivatives of states that jump, by x, p and t
  KERNEL_TIMERS, // par, x -> switching functions of events at known times, and their slopes by time
  KERNEL_INVARIANTS,     // par, x -> g
  KERNEL_INVARIANT_SENS, // par, x -> g, g_x, g_p
  KERNEL_TIMED,          // par, x -> slope and offset of each timed event
  KERNEL_ASSERTS,        // par, x -> conditions of the assertions
  KERNEL_BRANCHES,       // par, x -> solutions of all Newton blocks that depend on the motion
  KERNEL_COUNT
} SystemKernel;

typedef struct Kernel { // one compiled program
  Lowered *lowered;
  Code *code;
  int results, lanes;
  int work_at;         // offset into SystemWork.scratch
  KernelBlock *blocks; // Newton blocks that follow branches
  int block_count;
} Kernel;

typedef struct ParLayout { // offsets in par; the time since the origin is at 0
  int origin;              // of the time
  int u, du;               // inputs; their first, second and third derivatives by time
  int mode;                // of the events
  int held;                // flat->held
  int rate;                // two of stabilisation
  int p;                   // all parameters
  int hoisted;             // what depends on p and the origin only
  int count;
} ParLayout;

typedef struct SensColumns { // columns of S: the parameters that move the states
  int *active;               // by column: its position in spec.parameters
  int *parameter;            // by column: its number in the model
  int lanes;                 // columns that KERNEL_JACOBIAN_SENS computes at once
  // KERNEL_RHS_SENS computes dS/dt itself; otherwise by sparse products from f_x and f_p.
  bool augmented;
} SensColumns;

typedef struct SparsePart { // a sparse matrix among the results of a kernel
  Pattern pattern;
  int at; // first result
} SparsePart;

typedef struct
    SystemSparsity {   // derivatives by x and by p (columns of S; outputs: spec.parameters)
  SparsePart start_p;  // KERNEL_START
  SparsePart f_x, f_p; // KERNEL_RHS_SENS, not augmented
  Pattern jacobian;    // of f_x, as KERNEL_JACOBIAN gives it
  SparsePart outputs_x, outputs_p;     // KERNEL_OUTPUTS
  SparsePart switching_x, switching_p; // KERNEL_EVENT_SENS
  SparsePart slide_x, slide_p;         // KERNEL_SLIDE
  SparsePart jump_x, jump_p;           // KERNEL_JUMP_SENS
  int jump_t;                          // first result
  SparsePart g_x, g_p;                 // KERNEL_INVARIANT_SENS
} SystemSparsity;

typedef struct SystemOutputs { // outputs that are states are copied
  int *state;                  // by output: the state it is, -1: computed
  bool all_states;             // nothing is computed
  bool are_y;                  // all states in their order, all sensitivities: y itself
  bool *reads;                 // of a closed model, by state: some output depends on it; else NULL
} SystemOutputs;

typedef struct System {
  Arena *arena;
  const Model *model;
  Graph *graph;           // that of the model, and what the system adds to it
  int nx, nu, ne, ny, ni; // states, inputs, events, outputs, invariants
  bool hybrid;            // the model has discrete variables
  int nh;                 // numbers that are held between events
  // Events whose switching function is a straight line in time and contains nothing else that moves between events: their
  // times are known in advance. Of hybrid systems only.
  int *timers, timer_count;
  int np, ns, stride; // spec.parameters; columns of S; columns stored for them, 0: none
  int lanes;
  int first_condition; // of model->conditions among the results of KERNEL_START
  ParLayout at;
  SensColumns columns;
  SystemOutputs output;
  SystemSparsity sparse;
  ModeOrder events;
  Surfaces surfaces; // on which the motion may stay
  Kernel kernel[KERNEL_COUNT];
  Branch *branches;
  int branch_count, anchor_slots;
  CodeBatch *codes;     // of all kernels
  size_t scratch_count; // doubles
} System;

// In a graph of its own: numbers do not depend on which systems were made before, down to the last bit.
System *system_new(Model *m, const SystemSpec *spec);
void system_free(System *s);

// The numbers of inputs at time t. du: their slopes, behind them their second and their third derivatives; those above
// model->input_order + 1 may be left as they are. NULL when there are none.
typedef void SystemInputs(void *data, double t, double *u, double *du);

// Functions of time alone are computed for CLOCK_LANES times at once, and kept for CLOCK_MOST times.
enum { CLOCK_LANES = 8, CLOCK_MOST = 16 };

typedef struct Anchors { // in the order of their times
  double *t;
  double *value; // [anchor][slot][lane]
  int count, room;
} Anchors;

typedef struct SystemWork {
  const System *system;
  Arena *arena;
  double *par;
  double *scratch;            // work of the kernels
  double *x0;                 // results of start
  double *values;             // results of rhs_sens when not augmented
  double *lane_in, *lane_out; // of jacobian_sens
  double *out;                // results of outputs
  double *event_out;
  double *slide_out;     // results of slide
  double *timed_out;     // results of timed
  double *jump_out;      // results of jump_sens
  double *jump_rows;     // of D after a jump
  double *invariant_out; // results of invariant_sens
  // [CLOCK_MOST + 1][result of the clock]; the last one is that of a time that was not announced.
  double *clock;
  double clock_times[CLOCK_MOST];
  int clock_count, clock_next;      // announced; the one that is expected
  double clock_in[2 * CLOCK_LANES]; // times, then the origin
  double *clock_out;
  double *branch_out; // results of branches
  Anchors anchors;
  int loaded[KERNEL_COUNT];    // by kernel: which anchor its blocks have, -1 = none
  double now;                  // as system_set_time was told
  double ran_at[KERNEL_COUNT]; // when a kernel with Newton blocks ran last
  SparseProduct *product;
  SystemInputs *inputs;
  void *inputs_data;
} SystemWork;

SystemWork *system_work_new(const System *s);
void system_work_free(SystemWork *w);

// Time in the model is origin + t for all t below; 0 at first. To be followed by system_set_parameters.
void system_set_origin(SystemWork *w, double origin);
// p: all parameters of the model (those that depend on others are ignored), lanes neighbouring numbers each.
void system_set_parameters(SystemWork *w, const double *p);
void system_set_time(SystemWork *w, double t); // also reads the inputs
void system_set_mode(SystemWork *w, int event, double mode);
double system_mode(const SystemWork *w, int event);

// Of a system with lanes: rhs and rhs_sens will be asked at these times, CLOCK_MOST at most, about in this order.
// Others may be asked as well. Functions of time alone then cost little: they are computed for many times at once.
void system_set_times(SystemWork *w, const double *t, int count);
const double *system_clock(SystemWork *w,
                           double t); // the third argument of rhs and rhs_sens at this time

// Newton blocks at time t continue from the last anchor at or before t, the first one if there is none; without anchors
// they begin at their start values, as they do in hoist and start. So results depend on anchors and arguments alone, not
// on what was computed before. system_start leaves one anchor. All of these do nothing in a system without branches; they
// allocate only when there are more anchors than ever before.
void system_forget(SystemWork *w); // all anchors
// The only anchor is that of start, which must have run.
void system_branch_begin(SystemWork *w, double t, const double *x);
// Continues to (t, x): another anchor behind the others, those from t on are dropped.
void system_branch_add(SystemWork *w, double t, const double *x);
// The same from what f found when it was computed last, if that was at t and f contains all blocks; else false.
bool system_branch_take(SystemWork *w, double t);
// The same as add, and it is the only one: after an event, a jump of an input, or when earlier times will not be asked again.
void system_branch_restart(SystemWork *w, double t, const double *x);
void system_branch_drop(SystemWork *w);            // the last one
void system_branch_keep(SystemWork *w, int count); // nothing but the last ones
// The roots of the last anchor (lane 0) as numbers that any system of the same model can read, and how many these are.
int system_branch_numbers(const System *s);
void system_branch_write(const SystemWork *w, double *to);
// The only anchor, that of system_start, gets these roots at time t in all lanes. Blocks that are not among them keep their own.
void system_branch_read(SystemWork *w, double t, const double *from, int count);
void system_branch_copy_lane(SystemWork *w, int from, int to);
// The anchor of time t into the work of a program (lanes 1) with these Newton blocks.
void system_branch_load(const SystemWork *w, double t, const NewtonPlace *places, int count,
                        double *work);
// And into the blocks of a kernel, before it runs at w->now.
void system_branch_enter(SystemWork *w, SystemKernel kernel);

// All of these leave numbers that are not finite where the model cannot be computed. None allocates.
// Start values at time t into y (states and sensitivities, as stepper.h lays them out), modes into the work.
void system_start(SystemWork *w, double t, double *y);
void system_rhs(SystemWork *w, double t, const double *x, double *dx);
void system_rhs_sens(SystemWork *w, double t, const double *y, double *dy);
// ft may be NULL.
void system_jacobian(SystemWork *w, double t, const double *x, double *J, double *ft);
void system_jacobian_sens(SystemWork *w, double t, const double *y, double *DJ, double *Dft);
// values[ny*lanes]; sens[(i*np + k)*lanes] by spec.parameters, or NULL.
void system_outputs(SystemWork *w, double t, const double *y, double *values, double *sens);
// Of a system with lanes, each of which may have its own time and inputs, unless there are functions of time alone, events or
// branches. du: as of SystemInputs.
bool system_lanes_apart(const System *s);
void system_set_lane(SystemWork *w, int lane, double t, const double *u, const double *du);
// At the times that are set: of the states, and of their columns if the system has any.
void system_rhs_apart(SystemWork *w, const double *y, double *dy);
void system_outputs_apart(SystemWork *w, const double *y, double *values, double *sens);
void system_events(SystemWork *w, double t, const double *x, double *switching);
// The sum of |terms| of each switching function: its rounding error is a small part of this. NaN becomes 0.
void system_event_scales(SystemWork *w, double t, const double *x, double *scales);
// Of one event at (t, y): time derivative of its switching function along the motion with slope dx, and by column
// k < stride: derivative by the parameter along the motion's sensitivities.
void system_event_sens(SystemWork *w, double t, const double *y, int event, const double *dx,
                       double *rate, double *by_column);

// By surface: time derivative of its switching function along the motion that the modes in use give, and, unless NULL, its
// derivatives by the columns k < stride, by_column[surface*stride + k], along the sensitivities in y.
void system_slide(SystemWork *w, double t, const double *y, double *rate, double *by_column);

// Time after t at which the next timed event happens with the modes in use; infinite: none.
double system_next_timed(SystemWork *w, double t, const double *x);
// Conditions of the assertions, conditions[assert_count*lanes]: 1 where it holds, 0 where it does not, NaN where it cannot be computed.
void system_asserts(SystemWork *w, double t, const double *x, double *conditions);
// Of a hybrid system. Switching functions at an event, where discrete variables change.
void system_live_events(SystemWork *w, double t, const double *x, double *switching);
// By event: 0 where nothing depends on it until what is held changes. Where that is never so, all are 1.
void system_needed(SystemWork *w, const double *x, double *needed);
// What is held (nh numbers), states that jump (model->jump_count), whether to terminate, all as they are at the event.
void system_jump(SystemWork *w, double t, const double *x, double *after);
// Carries total derivatives D of the states by the parameters (as S lies in y) over the jump: D = J_x D + J_p + J_t dt/dp.
void system_jump_sens(SystemWork *w, double t, const double *x, const double *time_by_column,
                      double *D);
// Switching functions of the timers, then their slopes by time.
void system_timers(SystemWork *w, double t, const double *x, double *out);
static inline double *system_held(SystemWork *w) { // lanes 1
  return w->par + w->system->at.held;
}

// Rate of Baumgarte's terms in 1/time, 0 (as it is at first): none. Kept until it is set again.
void system_set_rate(SystemWork *w, double rate);
// g'' + 2 alpha g' + beta^2 g = 0 of an invariant that was differentiated twice, g' + alpha g = 0 of others.
void system_set_rates(SystemWork *w, double alpha, double beta);
// Residuals of the invariants, values[ni*lanes].
void system_invariants(SystemWork *w, double t, const double *x, double *values);
// The same (lanes 1) with g_x and g_p: the results are in w->invariant_out, residuals first, then s->sparse.g_x and g_p.
void system_invariant_sens(SystemWork *w, double t, const double *x);
// Residual and size of condition i of the start that system_start computed (lane 0).
void system_condition(const SystemWork *w, int i, double *residual, double *size);

// Which operation failed: replays the kernel in the interpreter and describes the first operation that gives a number
// that is not finite from finite ones. false when all is finite.
bool system_explain(SystemWork *w, SystemKernel kernel, double t, const double *y, Text *out);
