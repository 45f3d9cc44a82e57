# What the command says when it is used wrongly, and when it is asked for help.
source "$(dirname "$0")/lib.sh"

it "without arguments it lists the commands and fails"
run; status 2; no_out; err "simulate MODEL"
it "help lists the commands on standard output"
run help; status 0; no_err; out "simulate MODEL"; out "Exit status"
for spelling in --help -h; do
  it "$spelling is help"
  run $spelling; status 0; out "Commands:"
done
for spelling in --version version -V; do
  it "$spelling prints the version"
  run $spelling; status 0; out '^entrain [0-9]*\.[0-9]*\.[0-9]*$'; lines 1
done
for command in fit check recover simulate info methods options help version; do
  it "help $command gives its usage"
  run help $command; status 0; no_err; out "^entrain $command"
  it "$command --help says the same as help $command"
  run help $command; cp out expected; run $command --help; status 0; holds cmp out expected
done
it "help simulate shows flags, options and two examples"
run help simulate; out "--set NAME=VALUE"; out "rel_tol"; out "entrain simulate models/pendulum.mo --set p=20"; out swing.csv
it "no line of the help is wider than 100 columns"
run help simulate; holds awk 'length > 100 { exit 1 }' out
it "an unknown command gets the nearest one"
run simluate; status 2; no_out; err "unknown command 'simluate'; did you mean 'simulate'"
it "a command like no other gets a hint"
run frobnicate; status 2; err "'entrain help' lists"
it "an unknown flag gets the nearest one"
run simulate decay.mo --stpo 1; status 2; no_out; err "did you mean '--stop'"
it "an unknown flag may be near to an option"
run simulate decay.mo --rel_tl=1; status 2; err "did you mean '--rel_tol'"
it "an unknown short flag is refused"
run simulate decay.mo -z; status 2; no_out; err "'-z'"
it "a flag without its value is refused"
run simulate decay.mo --stop; status 2; err "needs a value"
it "a flag does not swallow the next one"
run simulate decay.mo --stop --plot; status 2; err "--stop needs a value"
it "a switch takes no value"
run simulate decay.mo --plot=yes; status 2; err "takes no value"
it "a second model is refused"
run simulate decay.mo decay.mo; status 2; no_out; err "unexpected argument"
it "a missing model is told"
run simulate; status 2; err "needs a MODEL"
it "two reports at a time are refused"
run info decay.mo --flat --json; status 2; err "one report at a time"
it "options lists name, range and default"
run options; status 0; no_err; out "rel_tol"; out "1e-13 to 0.1"; out "default: 1e-6"
