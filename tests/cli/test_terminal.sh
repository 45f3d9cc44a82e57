#!/bin/bash
# What stands on a terminal: pictures of fits, colours, widths, names that would act on it.
source "$(dirname "$0")/lib.sh"
source "$models/../tests/cli/problem.sh"

if [[ $ENTRAIN == *-san* ]]; then
  skip "pictures, colours and widths of terminals" "unit tests of tables and pictures run with sanitizers"
  exit
fi
if ! python3 -c 'import pty' 2>/dev/null; then
  skip "pictures, colours and widths of terminals" "no python3"
  exit
fi

# on_terminal COLUMNS [NAME=VALUE ...] entrain ARGUMENT ...: standard output and error are one terminal; all it got is in out
cat >on_terminal.py <<'END'
import fcntl, os, pty, struct, sys, termios
columns, words = int(sys.argv[1]), sys.argv[2:]
given = dict(TERM="xterm-256color", LANG="C.UTF-8", PATH=os.environ["PATH"])
while "=" in words[0]:
    name, value = words.pop(0).split("=", 1)
    given[name] = value
words[0] = os.environ["ENTRAIN"]
child, fd = pty.fork()
if child == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    os.execvpe(words[0], words, given)
got = b""
while True:
    try: part = os.read(fd, 65536)
    except OSError: break
    if not part: break
    got += part
sys.stdout.buffer.write(got)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
END
on_terminal() { : >err; python3 on_terminal.py "$@" >out; code=$?; }
has_picture() { { grep -q '•' out && grep -q '└' out; } || wrong "no picture: $(head -n 5 out)"; }
no_picture() { ! grep -q '•\|└' out || wrong "a picture: $(head -n 5 out)"; }

# Twelve channels in five experiments.
cat >many.mo <<'END'
model Many
  parameter Real k = 2, d = 0.3, c = 1.2;
  Real x[6](each start = 0), v[6](each start = 0);
equation
  for i in 1:6 loop
    der(x[i]) = v[i];
    der(v[i]) = -k*x[i] - d*v[i] + c*(if i < 6 then x[i+1] - x[i] else 0) - (if i > 1 then c*(x[i] - x[i-1]) else 0);
  end for;
end Many;
END
{
  printf 'model: many.mo\nexperiments:\n'
  for e in 1 2 3 4 5; do
    "$ENTRAIN" simulate many.mo --set "x[$e].start=1" --stop 10 --step 0.1 --noise 0.02 --noise_kind additive --noise_correlation 0.8 --seed $e -o e$e.csv
    printf "  - {name: experiment %d, data: e%d.csv, measure: ['x[1]', 'x[2]', 'x[3]', 'x[4]', 'x[5]', 'x[6]', 'v[1]', 'v[2]', 'v[3]', 'v[4]', 'v[5]', 'v[6]'], set: {'x[%d].start': 1}}\n" $e $e $e
  done
  printf 'estimate: {k: {start: 1, min: 0.1, max: 10}, d: {start: 0.1, min: 0.01, max: 10}, c: {start: 0.5, min: 0.01, max: 10}}\nmethod: lm\n'
} >many.yaml

it "a fit on a terminal draws data and model above the report"
on_terminal 80 entrain fit decay.yaml; status 0; has_picture; out $'\e\\[1mData and model: decay.yaml'
holds awk '/Data and model/ { picture = NR } /Parameters/ { exit !(picture && picture < NR) }' out
on_terminal 80 entrain evaluate decay.yaml --start k=2; status 0; has_picture
it "not where it cannot, or is not wanted"
on_terminal 80 entrain fit decay.yaml --plot=off; status 0; no_picture; out "Parameters"
on_terminal 80 entrain fit decay.yaml -p=off; status 0; no_picture; out "Parameters"
on_terminal 80 TERM=dumb entrain fit decay.yaml; status 0; no_picture
on_terminal 80 TERM=linux entrain fit decay.yaml; status 0; no_picture
on_terminal 80 LANG=C entrain fit decay.yaml; status 0; no_picture
on_terminal 80 LC_ALL=POSIX entrain fit decay.yaml; status 0; no_picture
on_terminal 80 entrain fit decay.yaml --quiet; status 0; no_picture
on_terminal 80 entrain fit decay.yaml --json -; status 0; no_picture
on_terminal 80 LANG=C entrain fit decay.yaml --plot; status 0; has_picture
run fit decay.yaml; status 0; no_picture
it "piped output has a picture if it is asked for, without colours"
run fit decay.yaml --plot; status 0; has_picture; out "x   • data   ⠒⠒⠒⠒ model"; holds test "$(grep -c $'\e' out)" = 0
run evaluate decay.yaml -p; status 0; has_picture
run fit decay.yaml --plot=yes; status 2; no_out; err "'off' or nothing"
it "the first channels of many are drawn, and the others counted"
run evaluate many.yaml --plot; status 0; has_picture; out "^ *x\[4\]"; out "^56 more channels: --figures DIR"
holds test "$(grep -c 'Data and model' out)" = 1
it "a result that does not exist has no picture"
printf 'model Never\n  parameter Real k = 1;\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = sqrt(-k - x^2);\nend Never;\n' >never.mo
run fit decay.yaml --set model=never.mo --plot; status 1; no_picture

# ---------------------------------------------------------------- colours

it "NO_COLOR: no escape sequence reaches a terminal, progress and maps included"
"$ENTRAIN" fit decay.yaml --store fit.db >out 2>err </dev/null
while read -r line; do
  read -r -a words <<<"$line"
  on_terminal 80 NO_COLOR=1 entrain "${words[@]}"
  [[ $code -le 1 ]] || wrong "$line: exit status $code: $(head -n 3 out)"
  [[ -s out ]] || wrong "$line: nothing was printed"
  ! grep -q $'\e' out || wrong "$line: $(grep -m 1 $'\e' out | cat -v)"
done <<'END'
fit decay.yaml
fit many.yaml
fit endless.yaml --max_seconds 1
evaluate decay.yaml
check decay.yaml
profile decay.yaml --plot
recover decay.yaml --trials 3
compare decay.yaml --methods lm,ga
basin decay.yaml --grid 5
basin many.yaml --over k,c --grid 3x3
scan many.yaml --over k=1:3:5,c=0.5:2:5 --plot
scan decay.yaml --over k=1:3:9 --plot
simulate decay.mo --plot
weights decay.yaml --kind grid -o w.csv
show fit.db
show fit.db --watch
info decay.mo
methods
END
it "NO_COLOR that is empty counts as not set"
on_terminal 80 NO_COLOR= entrain check decay.yaml; status 0; holds grep -q $'\e\\[1m' out
it "a dumb terminal gets no escape sequence"
on_terminal 80 TERM=dumb entrain fit endless.yaml --max_seconds 1; holds test "$(grep -c $'\e' out)" = 0

# ---------------------------------------------------------------- widths

cat >widths.py <<'END'
# Every line fits, every key column is there, every other column is there or named.
import os, subprocess, sys, unicodedata
def width(s): return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in s)
step, words = int(sys.argv[1]), sys.argv[2:]
def report(columns):
    return subprocess.run([os.environ["ENTRAIN"]] + words, capture_output=True, text=True, env=dict(os.environ, COLUMNS=str(columns))).stdout
def table(text): # heads of the table Fit, and what follows them
    lines = text.split("\n")
    at = lines.index("Fit") + 1 if "Fit" in lines else None
    return (lines[at], "\n".join(lines[at + 1:])) if at else None
wide = table(report(300))
for columns in range(40, 201, step):
    text = report(columns)
    if not text: sys.exit("nothing was printed")
    for line in text.split("\n"):
        if width(line) > columns and len(line.split()) > 1: sys.exit("%d: %d: %s" % (columns, width(line), line))
    if not wide: continue
    shown, rest = table(text)
    told = " ".join(rest[rest.index("No room for"):].split()) if "No room for" in rest else ""
    told = told[:told.index(":")] if told else ""
    for head in wide[0].replace("fit %", "fit_%").split():
        head = head.replace("_", " ")
        if (head in shown) == (head in told): sys.exit("%d: column %s: %s\n%s" % (columns, head, shown, told))
    for key in ("experiment", "channel"):
        if key in wide[0] and key not in shown: sys.exit("%d: no %s" % (columns, key))
END
for what in '1 evaluate many.yaml --plot' '20 fit many.yaml' '20 check many.yaml' '20 profile many.yaml --plot' '40 recover many.yaml --trials 2' \
  '40 compare many.yaml --methods lm,gauss-newton --truth' '40 basin many.yaml --over k,c --grid 3x3' '20 scan many.yaml --over k=1:3:5 --plot' \
  '20 scan many.yaml --over k=1:3:5,c=0.5:2:5 --plot' '20 weights many.yaml --kind grid --over x[1],v[1] -o w.csv' '20 show fit.db' '20 methods'; do
  read -r -a words <<<"$what"
  it "every line fits: ${what#* }"
  python3 widths.py "${words[@]}" 2>said || wrong "$(cat said)"
done

# ---------------------------------------------------------------- names

it "random names never act on a terminal, and JSON has them whole"
cat >names.py <<'END'
import random, sys
r = random.Random(int(sys.argv[1]))
acting = [chr(c) for c in range(1, 32)] + ["\x7f", "\x9b", "\x90", "\u202e", "\u2066", "\u200f", "\x1b[2J", "\x1b]0;title\x07", "\x1bP", "\x1b[31m"]
def name(length): return "".join(r.choice(acting) if r.random() < 0.4 else r.choice("abcαβ漢עש") for _ in range(length))
def yaml(s): return '"' + "".join("\\U%08x" % ord(c) for c in s) + '"'
one, two, column = "one" + name(8), "two" + name(300), "x" + name(6).replace("\n", "").replace("\r", "").replace('"', "") + "x"
rows = open("decay.csv").read().split("\n")[1:]
open("names.csv", "w", newline="").write('time,"' + column + '"\n' + "\n".join(rows))
open("names.yaml", "w").write("""model: decay.mo
experiments:
  - {name: %s, data: names.csv, measure: {x: %s}}
  - {name: %s, data: names.csv, measure: {x: %s}}
estimate: {k: {start: 0.5, min: 0.01, max: 50}}
""" % (yaml(one), yaml(column), yaml(two), yaml(column)))
END
cat >acts.py <<'END'
# What the terminal got: our colours, the erasing of a progress line, line ends; nothing else acts.
import re, sys, unicodedata
text = open("out", "rb").read().decode("utf-8")
text = re.sub("\x1b\\[[0-9;]*m|\x1b\\[K|\r", "", text)
turns = ("RLO", "LRO", "RLE", "LRE", "PDF", "RLI", "LRI", "FSI", "PDI")
bad = [c for c in text if (unicodedata.category(c) == "Cc" and c not in "\n\t") or unicodedata.bidirectional(c) in turns]
sys.exit(repr(bad[:5]) if bad else 0)
END
for seed in 1 2 3 4 5 6; do
  python3 names.py $seed
  for command in 'fit names.yaml' 'evaluate names.yaml --plot' 'check names.yaml' 'fit names.yaml --residuals -' 'fit names.yaml --json -'; do
    read -r -a words <<<"$command"
    on_terminal 60 entrain "${words[@]}"
    [[ $code -le 1 ]] || wrong "$command, names $seed: exit status $code: $(cat -v out | head -n 3)"
    python3 acts.py 2>said || wrong "$command, names $seed: $(cat said)"
  done
  run fit names.yaml --json names.json; valid_json names.json
  json names.json "len(d['channels'][1]['experiment_name']) >= 300"
done
it "a long name is shortened in tables"
run fit names.yaml; status 0; out '^  two.*…'; holds awk '/^  two/ && length > 400 { exit 1 }' out
