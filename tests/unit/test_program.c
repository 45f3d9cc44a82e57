#include "program/program.h"

#include <signal.h>
#include <sys/time.h>

#include "run_trial.h"

// What a test says of a program; the rest is the usual.
static ProgramSpec *spec_of(const Trial *t, const char *script) {
  Arena *a = t->arena;
  ProgramSpec *s = ARENA_NEW(a, ProgramSpec);
  s->folder = t->problem;
  if (script) {
    trial_write(t, "sim", arena_print(a, "#!/bin/sh\n%s\n", script), 0755);
    array_push(a, &s->command, "./sim");
  }
  array_push(a, &s->parameters, "mass");
  array_push(a, &s->parameters, "c");
  array_push(a, &s->variables, "x");
  array_push(a, &s->variables, "y");
  s->output_file = "r.csv";
  return s;
}

static void add_file(const Trial *t, ProgramSpec *s, const char *name, const char *text) {
  const char *file = arena_print(t->arena, "template%d", s->files.count);
  trial_write(t, file, text, 0644);
  array_push(t->arena, &s->files, ((ProgramFile){name, file}));
}

static const double TIMES[] = {0, 0.5, 1};
static const double VALUES[] = {1500, 0.1};
static const int RECORDED[] = {1, 0};

static SimulatorCall usual_call(void) {
  return (SimulatorCall){.origin = 10,
                         .times = TIMES,
                         .count = 3,
                         .parameters = VALUES,
                         .parameter_count = 2,
                         .variables = RECORDED,
                         .variable_count = 2,
                         .experiment = 4,
                         .name = "swing"};
}

// Runs it; whatever happened, no process, zombie, folder or descriptor is left.
// Parameters of a spec without templates are left out: they would not reach the program.
static SimulatorAnswer *run_call(const Trial *t, const ProgramSpec *given,
                                 const SimulatorCall *asked) {
  Err err = {0};
  SimulatorCall *call = ARENA_NEW(t->arena, SimulatorCall);
  ProgramSpec *s = ARENA_NEW(t->arena, ProgramSpec);
  *s = *given;
  if (s->files.count == 0 && s->command.count == 1) s->parameters.count = 0;
  *call = *asked;
  call->parameter_count = s->parameters.count;
  ClosedProgram *p = program_open(t->arena, s, NULL, &err);
  if (!p) print_error("%s\n", err.text);
  assert_non_null(p);
  SimulatorAnswer *answer = simulator_answer_new(t->arena, call);
  int before = trial_descriptors();
  program_run(p, t->scratch, call, answer);
  assert_int_equal(trial_descriptors(), before);
  assert_nothing_is_left(t);
  return answer;
}

static SimulatorAnswer *run(const Trial *t, const ProgramSpec *s) {
  SimulatorCall call = usual_call();
  return run_call(t, s, &call);
}

static void assert_ended(const SimulatorAnswer *answer, Outcome outcome, const char *message) {
  assert_string_equal(answer->message, message);
  assert_string_equal(outcome_word(answer->outcome), outcome_word(outcome));
  assert_int_equal(answer->rows, 0);
}

static void assert_script_ends(const Trial *t, const char *script, Outcome outcome,
                               const char *message) {
  assert_ended(run(t, spec_of(t, script)), outcome, message);
}

#define GOOD "printf 't,x,y\\n10,1,2\\n11,3,2\\n' >r.csv\n"

// ---- runs

static void a_run_gives_values_at_the_samples(void **state) {
  const Trial *t = *state;
  SimulatorAnswer *answer = run(t, spec_of(t, GOOD "echo done; echo careful >&2"));
  assert_int_equal(answer->outcome, OUTCOME_REACHED_END);
  assert_int_equal(answer->rows, 3);
  double wanted[] = {2, 1, 2, 2, 2, 3}; // y, x
  for (int i = 0; i < 6; i++) assert_close(answer->values[i], wanted[i], 0);
  assert_string_equal(answer->solver, "sim");
  assert_string_equal(answer->log, "done\ncareful\n");
  assert_string_equal(answer->message, "");
  assert_string_equal(answer->slopes_by, "");
  assert_int_equal(answer->work.rhs, 0);
  assert_close(answer->t_end, 11, 0);
}

static void slopes_are_left_to_others(void **state) {
  const Trial *t = *state;
  SimulatorCall call = usual_call();
  call.slopes = (int[]){0};
  call.slope_count = 1;
  SimulatorAnswer *answer = run_call(t, spec_of(t, GOOD), &call);
  assert_null(answer->slopes);
  assert_string_equal(answer->slopes_by, "a program gives no slopes");
}

static void parameters_arrive_in_files_and_arguments(void **state) {
  const Trial *t = *state;
  ProgramSpec *s = spec_of(t, "echo \"$1|$2\"; cat in/run.in\n" GOOD);
  array_push(t->arena, &s->command, "-m={{mass:%.1f}}");
  array_push(t->arena, &s->command, "a b;$HOME {{entrain.name}}");
  add_file(t, s, "in/run.in",
           "c={{c}} {{entrain.experiment}} {{entrain.start}} {{entrain.stop}}\n");
  SimulatorAnswer *answer = run(t, s);
  assert_string_equal(answer->log, "-m=1500.0|a b;$HOME swing\nc=0.10000000000000001 5 10 11\n");
}

static void inputs_and_links_arrive(void **state) {
  const Trial *t = *state;
  mkdir(arena_print(t->arena, "%s/tables", t->problem), 0777);
  trial_write(t, "tables/one", "1 2 3\n", 0644);
  ProgramSpec *s = spec_of(t, "cat tables/one in.csv\n" GOOD);
  array_push(t->arena, &s->links, "tables/");
  array_push(t->arena, &s->inputs, "u");
  s->inputs_file = "in.csv";
  SimulatorCall call = usual_call();
  double at[] = {0, 0.25}, v[] = {1, 2};
  const Input *inputs[] = {input_new(t->arena, at, v, 2, INPUT_HOLD, NULL)};
  call.inputs = inputs;
  call.input_count = 1;
  SimulatorAnswer *answer = run_call(t, s, &call);
  assert_string_equal(answer->log, "1 2 3\ntime,u\n10,1\n10.25,1\n10.25,2\n10.5,2\n11,2\n");
  assert_int_equal(trial_count(arena_print(t->arena, "%s/tables", t->problem)), 1);
}

static void programs_are_found_in_path(void **state) {
  const Trial *t = *state;
  ProgramSpec *s = spec_of(t, NULL);
  s->parameters.count = 0;
  array_push(t->arena, &s->command, "sh");
  array_push(t->arena, &s->command, "-c");
  array_push(t->arena, &s->command, GOOD);
  SimulatorAnswer *answer = run(t, s);
  assert_int_equal(answer->outcome, OUTCOME_REACHED_END);
  assert_string_equal(answer->solver, "sh");
}

// ---- outcomes

static void crashes_name_the_signal(void **state) {
  const Trial *t = *state;
  assert_script_ends(t, "kill -SEGV $$", OUTCOME_CRASHED,
                     "'sim' was ended by SIGSEGV (Segmentation fault)");
  assert_script_ends(t, "kill -36 $$", OUTCOME_CRASHED, "'sim' was ended by signal 36");
  ProgramSpec *s = spec_of(t, "kill -ABRT $$");
  s->memory = 512e6;
  assert_ended(run(t, s), OUTCOME_CRASHED,
               "'sim' was ended by SIGABRT (Aborted); it may use 512 MB of memory");
}

static void exits_name_the_status(void **state) {
  const Trial *t = *state;
  SimulatorAnswer *answer = run(t, spec_of(t, GOOD "echo no licence >&2; exit 3"));
  assert_ended(answer, OUTCOME_EXITED, "'sim' ended with exit status 3");
  assert_string_equal(answer->log, "no licence\n");
  assert_close(answer->t_end, 10, 0);
}

static void lack_of_memory_is_told_where_the_log_shows_it(void **state) {
  const Trial *t = *state;
  ProgramSpec *s = spec_of(t, "echo 'terminate called: std::bad_alloc' >&2; kill -ABRT $$");
  assert_ended(run(t, s), OUTCOME_CRASHED, "'sim' was ended by SIGABRT (Aborted)");
  s->memory = 512e6;
  assert_ended(run(t, s), OUTCOME_NO_MEMORY,
               "'sim' ran out of memory; it may use 512 MB of memory");
  s = spec_of(t, "x=$(head -c 200M /dev/zero | tr '\\0' a)\n" GOOD);
  s->memory = 100e6;
  SimulatorAnswer *answer = run(t, s);
  assert_int_not_equal(answer->outcome, OUTCOME_REACHED_END); // how depends on the shell
  assert_non_null(strstr(answer->message, "; it may use 100 MB of memory"));
}

static void a_timeout_ends_all_of_it(void **state) {
  const Trial *t = *state;
  ProgramSpec *s = spec_of(t, "trap '' TERM; setsid sleep 1000 & sleep 1000 & " GOOD "wait");
  s->timeout = 0.1;
  s->retries = 5; // not after a time-out: this test would take longer, no more
  assert_ended(run(t, s), OUTCOME_TIMED_OUT, "'sim' took longer than its timeout of 0.1 s");
}

static void what_runs_on_in_the_background_is_ended(void **state) {
  const Trial *t = *state;
  SimulatorAnswer *answer = run(t, spec_of(t, "setsid sleep 1000 & sleep 1000 & " GOOD));
  assert_int_equal(answer->outcome, OUTCOME_REACHED_END);
}

static void on_alarm(int number) {
  (void)number;
  program_stop();
}

static void a_run_can_be_stopped(void **state) {
  const Trial *t = *state;
  void (*old)(int) = signal(SIGALRM, on_alarm);
  setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {.tv_usec = 60000}}, NULL);
  ProgramSpec *s = spec_of(t, "setsid sleep 1000 & sleep 1000");
  s->retries = 3;
  s->keep = PROGRAM_KEEP_FAILED;
  assert_ended(run(t, s), OUTCOME_STOPPED, "'sim' was stopped");
  signal(SIGALRM, old);
  assert_int_equal(run(t, spec_of(t, GOOD))->outcome, OUTCOME_REACHED_END);
}

static void bad_outputs_are_named(void **state) {
  const Trial *t = *state;
  assert_script_ends(t, "true", OUTCOME_BAD_OUTPUT, "there is no output file 'r.csv'");
  assert_script_ends(t, "printf 't,x,y\\n10,1,2\\n11,oops,2\\n' >r.csv", OUTCOME_BAD_OUTPUT,
                     "r.csv:3:4: 'oops' is not a number (column 'x')");
  assert_script_ends(t, "printf 't,x,speed\\n10,1,2\\n11,1,2\\n' >r.csv", OUTCOME_BAD_OUTPUT,
                     "r.csv has no column 'y'; its columns are 't', 'x', 'speed'");
  assert_script_ends(t, "printf 't,x,y\\n10,nan,2\\n11,1,2\\n' >r.csv", OUTCOME_BAD_OUTPUT,
                     "r.csv:2: column 'x' has no finite value at time 10");
  assert_script_ends(t, "printf 't,x,y\\n10,1,2\\n9,1,2\\n' >r.csv", OUTCOME_BAD_OUTPUT,
                     "r.csv:3: times must not decrease, but 9 follows 10 (column 't')");
  assert_script_ends(t, "mkfifo r.csv", OUTCOME_BAD_OUTPUT, "the output file 'r.csv' is a pipe");
  assert_script_ends(
      t, "ln -s /dev/zero r.csv", OUTCOME_BAD_OUTPUT,
      "the output file 'r.csv' is a link that leads out of the run folder, to '/dev/zero'");
  assert_script_ends(t, "printf 't,x,y\\n10.25,1,2\\n20,1,2\\n' >r.csv", OUTCOME_TOO_SHORT,
                     "r.csv begins at 10.25, after the first sample at 10");
  SimulatorAnswer *answer = run(t, spec_of(t, "printf 't,x,y\\n10,1,2\\n10.75,1,2\\n' >r.csv"));
  assert_string_equal(answer->message, "r.csv ends at 10.75, before the last sample at 11");
  assert_int_equal(answer->outcome, OUTCOME_TOO_SHORT);
  assert_int_equal(answer->rows, 2);
}

static void a_program_that_goes_missing_is_refused(void **state) {
  const Trial *t = *state;
  ProgramSpec *s = spec_of(t, "true");
  s->parameters.count = 0;
  ClosedProgram *p = program_open(t->arena, s, NULL, NULL);
  const char *path = arena_print(t->arena, "%s/sim", t->problem);
  unlink(path);
  SimulatorCall call = usual_call();
  call.parameter_count = 0;
  SimulatorAnswer *answer = simulator_answer_new(t->arena, &call);
  program_run(p, t->scratch, &call, answer);
  assert_ended(answer, OUTCOME_REFUSED,
               arena_print(t->arena, "cannot start '%s': No such file or directory", path));
  program_run(p, "/no/such", &call, answer);
  assert_ended(answer, OUTCOME_REFUSED,
               "the run could not be prepared: cannot make a folder for a run in '/no/such': No "
               "such file or directory");
  assert_nothing_is_left(t);
}

// ---- the log

static void the_log_shows_its_last_lines_as_visible_text(void **state) {
  const Trial *t = *state;
  SimulatorAnswer *answer = run(t, spec_of(t, "seq 1 10000; exit 1"));
  assert_in_range(strlen(answer->log), 1900, 1999);
  size_t length = strlen(answer->log);
  assert_string_equal(answer->log + length - 11, "9999\n10000\n");
  assert_memory_equal(answer->log, "96", 2); // a whole line: 2000 bytes are some 400 lines
  answer = run(t, spec_of(t, "printf 'a\\000b\\033[1m\\r\\n50%%\\r60%%\\n'; exit 1"));
  assert_string_equal(answer->log, "a b\\x1b[1m\n50%\n60%\n");
  answer = run(t, spec_of(t, "head -c 5000 /dev/zero | tr '\\0' '\\033'; exit 1"));
  assert_int_equal(strlen(answer->log), 1999);
}

// ---- again, and kept folders

static void a_failed_run_is_repeated_in_a_new_folder(void **state) {
  const Trial *t = *state;
  const char *script = "echo x >>'%s/count'; [ ! -e here ] || exit 9; touch here\n"
                       "[ $(wc -l <'%s/count') -ge 3 ] || exit 1\n" GOOD;
  ProgramSpec *s = spec_of(t, arena_print(t->arena, script, t->problem, t->problem));
  s->retries = 2;
  assert_int_equal(run(t, s)->outcome, OUTCOME_REACHED_END);
  unlink(arena_print(t->arena, "%s/count", t->problem));
  s->retries = 1;
  assert_ended(run(t, s), OUTCOME_EXITED, "'sim' ended with exit status 1; this was try 2 of 2");
}

static void failed_runs_are_kept_if_wanted(void **state) {
  const Trial *t = *state;
  ProgramSpec *s = spec_of(t, "cat run.in; exit 1");
  add_file(t, s, "run.in", "{{mass}} {{c}}\n");
  s->keep = PROGRAM_KEEP_FAILED;
  s->retries = 1;
  const char *kept = arena_print(t->arena, "%s/entrain-runs/5-1", t->problem);
  assert_ended(run(t, s), OUTCOME_EXITED,
               arena_print(t->arena,
                           "'sim' ended with exit status 1; this was try 2 of 2; the folder of the "
                           "run is kept: %s",
                           kept));
  assert_string_equal(trial_read(t, arena_print(t->arena, "%s/run.in", kept)),
                      "1500 0.10000000000000001\n");
  assert_string_equal(trial_read(t, arena_print(t->arena, "%s/entrain.log", kept)),
                      "1500 0.10000000000000001\n");
  assert_int_equal(trial_count(arena_print(t->arena, "%s/entrain-runs", t->problem)), 1);
}

static void where_it_is_kept_is_told_after_long_messages(void **state) {
  const Trial *t = *state;
  ProgramSpec *s = spec_of(t, "a=0123456789012345678901234567890123456789\n"
                              "echo t,1$a,2$a,3$a,4$a,5$a,6$a,7$a,8$a,9$a >r.csv\n"
                              "echo 1,2,3,4,5,6,7,8,9,10 >>r.csv");
  s->variables.at[0] = s->variables.at[1] = arena_print(t->arena, "%0200d", 7);
  s->keep = PROGRAM_KEEP_FAILED;
  const char *message = run(t, s)->message;
  const char *end =
      arena_print(t->arena, "; the folder of the run is kept: %s/entrain-runs/5-1", t->problem);
  assert_non_null(strstr(message, end));
  assert_string_equal(strstr(message, end), end);
}

static void good_runs_are_kept_if_all_are(void **state) {
  const Trial *t = *state;
  ProgramSpec *s = spec_of(t, GOOD "ln -s /etc/passwd entrain.log");
  s->keep = PROGRAM_KEEP_FAILED;
  assert_string_equal(run(t, s)->message, "");
  s->keep = PROGRAM_KEEP_ALL;
  SimulatorAnswer *answer = run(t, s);
  assert_int_equal(answer->outcome, OUTCOME_REACHED_END);
  assert_string_equal(
      answer->message,
      arena_print(t->arena, "the folder of the run is kept: %s/entrain-runs/5-1", t->problem));
  s->keep = PROGRAM_KEEP_NONE;
  run(t, s);
  const char *runs = arena_print(t->arena, "%s/entrain-runs", t->problem);
  assert_int_equal(trial_count(runs), 1);
  for (int i = 1; i < 100; i++) mkdir(arena_print(t->arena, "%s/old-%d", runs, i), 0777);
  s->keep = PROGRAM_KEEP_ALL;
  assert_string_equal(run(t, s)->message,
                      arena_print(t->arena,
                                  "the folder of the run is not kept: there are 100 in "
                                  "'%s' already",
                                  runs));
}

// ---- what is checked before

static void assert_refused(const Trial *t, const ProgramSpec *s, const char *file, int line,
                           int column, const char *why) {
  Err err = {0};
  assert_null(program_open(t->arena, s, NULL, &err));
  assert_string_equal(err.text, why);
  assert_string_equal(err.file, file);
  assert_int_equal(err.line, line);
  assert_int_equal(err.column, column);
}

static void names_in_templates_are_checked(void **state) {
  const Trial *t = *state;
  ProgramSpec *s = spec_of(t, "true");
  add_file(t, s, "run.in", "m={{mass}}\nc={{cc}}\n");
  const char *file = arena_print(t->arena, "%s/template0", t->problem);
  assert_refused(t, s, file, 2, 5, "there is no parameter 'cc'; did you mean 'c'?");
  trial_write(t, "template0", "m={{mass}}\n", 0644);
  assert_refused(t, s, file, 0, 0,
                 "the parameter 'c' does not reach the program: write {{c}} into a template or an "
                 "argument of the command");
  array_push(t->arena, &s->command, "-c={{c}}");
  assert_non_null(program_open(t->arena, s, NULL, NULL));
  array_push(t->arena, &s->command, "-c={{mas}}");
  assert_refused(t, s, "argument 2 of the command", 1, 6,
                 "there is no parameter 'mas'; did you mean 'mass'?");
}

static void templates_must_be_files(void **state) {
  const Trial *t = *state;
  ProgramSpec *s = spec_of(t, "true");
  array_push(t->arena, &s->files, ((ProgramFile){"run.in", "none"}));
  assert_refused(
      t, s, "", 0, 0,
      arena_print(t->arena, "cannot read '%s/none': No such file or directory", t->problem));
  mkfifo(arena_print(t->arena, "%s/none", t->problem), 0666);
  assert_refused(t, s, "", 0, 0,
                 arena_print(t->arena, "the template '%s/none' is not a file", t->problem));
}

static void commands_must_exist(void **state) {
  const Trial *t = *state;
  ProgramSpec *s = spec_of(t, NULL);
  assert_refused(t, s, "", 0, 0, "the command is empty");
  array_push(t->arena, &s->command, "./vehicle");
  assert_refused(t, s, "", 0, 0,
                 arena_print(t->arena, "there is no program '%s/vehicle'", t->problem));
  trial_write(t, "vehicle", "", 0644);
  assert_refused(t, s, "", 0, 0,
                 arena_print(t->arena,
                             "cannot run the program '%s/vehicle': it is not executable; chmod +x "
                             "makes it so",
                             t->problem));
  s->command.at[0] = t->problem;
  assert_refused(t, s, "", 0, 0,
                 arena_print(t->arena, "cannot run the program '%s': it is a folder", t->problem));
  const char *path = getenv("PATH");
  const char *old = path ? arena_copy(t->arena, path, strlen(path)) : "/usr/bin:/bin";
  setenv("PATH", ".:/usr/bin:/bin", 1);
  s->command.at[0] = "vehicle";
  assert_refused(
      t, s, "", 0, 0,
      "there is no program 'vehicle' in the folders of PATH (.:/usr/bin:/bin); a program "
      "beside the problem file is called './vehicle'");
  setenv("PATH", old, 1);
}

static void names_must_not_leave_the_folder_or_clash(void **state) {
  const Trial *t = *state;
  ProgramSpec *s = spec_of(t, "true");
  add_file(t, s, "../x", "{{mass}} {{c}}");
  assert_refused(
      t, s, "", 0, 0,
      "the name of the file '../x' contains '..'; files of a run are inside of its folder");
  s->files.at[0].name = "tables/run.in";
  mkdir(arena_print(t->arena, "%s/tables", t->problem), 0777);
  array_push(t->arena, &s->links, "tables");
  assert_refused(t, s, "", 0, 0,
                 "the file 'tables/run.in' and the link 'tables' clash in the run folder");
  s->files.at[0].name = "./entrain.log";
  assert_refused(
      t, s, "", 0, 0,
      "the file 'entrain.log' and the log of the run 'entrain.log' clash in the run folder");
  s->files.at[0].name = "run.in";
  s->inputs_file = "run.in";
  assert_refused(t, s, "", 0, 0,
                 "the file 'run.in' and the inputs file 'run.in' clash in the run folder");
  s->inputs_file = "/in.csv";
  assert_refused(
      t, s, "", 0, 0,
      "the name of the inputs file '/in.csv' is absolute; files of a run are inside of its "
      "folder");
  s->inputs_file = NULL;
  s->output_file = "tables/r.csv";
  assert_refused(t, s, "", 0, 0,
                 "the output file 'tables/r.csv' and the link 'tables' clash in the run folder");
  s->output_file = "run.in"; // which would be there without a run
  assert_refused(t, s, "", 0, 0,
                 "the output file 'run.in' and the file 'run.in' clash in the run folder");
  s->output_file = "r.csv";
  array_push(t->arena, &s->links, "sub/../tables/");
  assert_refused(
      t, s, "", 0, 0,
      arena_print(t->arena, "there is no '%s/sub/../tables/', which is to be linked", t->problem));
  s->links.at[1] = "./tables//";
  assert_refused(t, s, "", 0, 0, "the link 'tables' and the link 'tables' clash in the run folder");
  s->links.at[1] = "tables/..";
  assert_refused(t, s, "", 0, 0, "the link 'tables/..' does not end with a name");
}

// ---- messages

static void assert_texts(const char *const *a, int a_count, const char *const *b, int b_count) {
  assert_int_equal(a_count, b_count);
  for (int i = 0; i < a_count; i++) assert_string_equal(a[i], b[i]);
}

static ProgramSpec *full_spec(const Trial *t) {
  ProgramSpec *s = spec_of(t, NULL);
  array_push(t->arena, &s->command, "vehicle");
  array_push(t->arena, &s->command, "");
  array_push(t->arena, &s->files, ((ProgramFile){"a", "b"}));
  array_push(t->arena, &s->links, "tables");
  array_push(t->arena, &s->inputs, "u");
  s->output_time = "t";
  s->timeout = 0.1;
  s->memory = 1e9;
  s->retries = 3;
  s->keep = PROGRAM_KEEP_ALL;
  return s;
}

static void a_message_tells_all(void **state) {
  const Trial *t = *state;
  const ProgramSpec *s = full_spec(t);
  Message m;
  message_init(&m);
  program_spec_put(&m, s);
  const ProgramSpec *g = program_spec_get(&m, t->arena);
  assert_false(m.bad);
  assert_int_equal(m.next, m.length);
  assert_string_equal(g->folder, s->folder);
  assert_texts(g->command.at, g->command.count, s->command.at, s->command.count);
  assert_int_equal(g->files.count, 1);
  assert_string_equal(g->files.at[0].name, "a");
  assert_string_equal(g->files.at[0].file, "b");
  assert_texts(g->links.at, g->links.count, s->links.at, s->links.count);
  assert_texts(g->inputs.at, g->inputs.count, s->inputs.at, s->inputs.count);
  assert_texts(g->parameters.at, g->parameters.count, s->parameters.at, s->parameters.count);
  assert_texts(g->variables.at, g->variables.count, s->variables.at, s->variables.count);
  assert_null(g->inputs_file);
  assert_string_equal(g->output_file, "r.csv");
  assert_string_equal(g->output_time, "t");
  assert_true(g->timeout == s->timeout && g->memory == s->memory);
  assert_int_equal(g->retries, 3);
  assert_int_equal(g->keep, PROGRAM_KEEP_ALL);
  message_done(&m);
}

static void messages_that_are_cut_are_bad(void **state) {
  const Trial *t = *state;
  const ProgramSpec *s = full_spec(t);
  Message m;
  message_init(&m);
  program_spec_put(&m, s);
  for (size_t length = m.length; length-- > 0;) {
    m.length = length;
    m.next = 0;
    m.bad = false;
    program_spec_get(&m, t->arena);
    assert_true(m.bad);
  }
  message_done(&m);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, trial_new, trial_free)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(a_run_gives_values_at_the_samples),
      TEST(slopes_are_left_to_others),
      TEST(parameters_arrive_in_files_and_arguments),
      TEST(inputs_and_links_arrive),
      TEST(programs_are_found_in_path),
      TEST(crashes_name_the_signal),
      TEST(exits_name_the_status),
      TEST(lack_of_memory_is_told_where_the_log_shows_it),
      TEST(a_timeout_ends_all_of_it),
      TEST(what_runs_on_in_the_background_is_ended),
      TEST(a_run_can_be_stopped),
      TEST(bad_outputs_are_named),
      TEST(a_program_that_goes_missing_is_refused),
      TEST(the_log_shows_its_last_lines_as_visible_text),
      TEST(a_failed_run_is_repeated_in_a_new_folder),
      TEST(failed_runs_are_kept_if_wanted),
      TEST(where_it_is_kept_is_told_after_long_messages),
      TEST(good_runs_are_kept_if_all_are),
      TEST(names_in_templates_are_checked),
      TEST(templates_must_be_files),
      TEST(commands_must_exist),
      TEST(names_must_not_leave_the_folder_or_clash),
      TEST(a_message_tells_all),
      TEST(messages_that_are_cut_are_bad),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
