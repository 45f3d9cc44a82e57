#!/bin/bash
# Everything within the limits of the language runs on a stack of 256 kB, and what is beyond them is refused by name.
source "$(dirname "$0")/lib.sh"
stack=256
[[ ${BUILD:-} == *-san* ]] && stack=1024 # frames are larger with sanitizers

on_small_stack() { (ulimit -s $stack && "$ENTRAIN" "$@" >out 2>err </dev/null); code=$?; sed -i '/ASan doesn.t fully support makecontext/d' err; }

# repeat COUNT TEXT: the text so many times
repeat() { awk -v n="$1" -v text="$2" 'BEGIN { for (i = 0; i < n; i++) printf "%s", text }'; }

# model NAME EXPRESSION: y = EXPRESSION beside the state x
model() {
  { printf 'model Deep\n  parameter Real k = 0.5;\n  Real x(start = 1, fixed = true);\n  Real y;\nequation\n  der(x) = -k*x;\n  y = '
    printf '%s' "$2"
    printf ';\nend Deep;\n'; } >"$1.mo"
}

model chain "k$(repeat 3997 ' + x')"
model product "k$(repeat 3997 '*x')"
model brackets "$(repeat 990 '(')x$(repeat 990 ')')"
model calls "$(repeat 990 'sin(k*')x$(repeat 990 ')')"
model signs "$(repeat 990 '(-')x$(repeat 990 ')')"
model choices "noEvent(if x > 2 then 1$(repeat 3900 ' elseif x < 0.5 then k*x') else k)"
model conditions "noEvent(if x > 0$(repeat 3900 ' and x < 2') then k*x else 0)"
{ echo "model Deep"
  sum=$(repeat 50 ' + 0.001')
  for ((i = 0; i < 1500; i++)); do echo "  parameter Real p$i = p$((i + 1))$sum;"; done
  echo "  parameter Real p1500 = 1; parameter Real k = 0.5; Real x(start = 1, fixed = true); Real y;"
  echo "equation der(x) = -k*x; y = p0; end Deep;"; } >parameters.mo
{ echo "model Deep parameter Real k = 0.5; Real x(start = 1, fixed = true); Real y;"
  for ((i = 0; i < 1000; i++)); do echo "  Real y$i;"; done
  echo "equation der(x) = -k*x; y = y0; y999 = k*x;"
  for ((i = 0; i < 999; i++)); do echo "  y$i = noEvent(if x > $((i + 5)) then 0 else y$((i + 1)));"; done
  echo "end Deep;"; } >variables.mo

for name in chain product brackets calls signs choices conditions parameters variables; do
  it "reports on $name at their limit"
  for what in '' --flat --equations --json --dot; do
    on_small_stack info $name.mo $what
    status 0
  done
  it "simulates $name at their limit, with sensitivities"
  on_small_stack simulate $name.mo --stop 1 --step 0.5 --sensitivities k
  status 0; lines 4
done

it "refuses a chain beyond the limit"
model chain "k$(repeat 4001 ' + x')"
on_small_stack info chain.mo
status 2; err "deeper than 4000 operators"
it "refuses brackets beyond the limit"
model brackets "$(repeat 1001 '(')x$(repeat 1001 ')')"
on_small_stack info brackets.mo
status 2; err "nested more than 1000 deep"

it "reads deep values, measured expressions and constraints, and fits"
model fitted "sin(k$(repeat 3980 ' + x'))"
on_small_stack simulate fitted.mo --set "k=$(repeat 900 '(')0.7$(repeat 900 ')')" --stop 2 --step 0.05 --variables x -o data.csv
status 0
cat >deep.yaml <<END
model: fitted.mo
experiments: [{data: data.csv, measure: {"$(repeat 300 '(')x$(repeat 300 ')')": x}}]
estimate: {k: {start: 0.5, min: 0.01, max: 50}}
constraints: ["k$(repeat 3900 ' + k') < 1e9"]
END
on_small_stack fit deep.yaml --method sqp --json result.json
status 0; out "converged"
it "searches on several threads"
on_small_stack basin deep.yaml --method sqp --random 3 --threads 2
status 0
