#!/bin/bash
# Data files beside the problem file, in folders of --data, and in that of ENTRAIN_DATA.
. "$(dirname "$0")/lib.sh"
unset ENTRAIN_DATA
mkdir -p p first/set second/set
cat >p/line.mo <<'END'
model Line
  parameter Real a = 1;
  Real x(start = 0, fixed = true);
equation
  der(x) = a;
end Line;
END
printf 'model: line.mo\nexperiments: {data: set/x.csv, measure: {x: x}}\nestimate: {a: 1}\n' >p/p.yaml
rows() { printf 't,x\n'; for t in 0 1 2 3 4; do echo "$t,$((t * $1))"; done; }
rows 2 >first/set/x.csv
rows 3 >second/set/x.csv
slope() { run fit p/p.yaml -q --method=lm --json r.json "$@"; grep -o '"value": *[-0-9.e]*' r.json | head -n 1 | grep -o '[0-9.]*$' | cut -c1-5; }
is() { [[ $1 == "$2"* ]] || wrong "the slope is '$1', not $2"; }

it "an absent file is named with its place, and the flag that helps"
run check p/p.yaml
status 2; err "p/p.yaml:2:.*there is no file 'p/set/x.csv'; --data DIR or the environment variable ENTRAIN_DATA"; no_out

it "an absent file is named with all places that were looked at"
ENTRAIN_DATA=there run check p/p.yaml --data here --data=also/
status 2; err "there is no file 'p/set/x.csv' and no 'here/set/x.csv', 'also/set/x.csv', 'there/set/x.csv'"

it "so is a pattern that nothing matches"
ENTRAIN_DATA=there run check p/p.yaml --data here --set 'experiments.data=run/*.csv'
status 2; err "no file matches 'p/run/\*.csv' or 'here/run/\*.csv', 'there/run/\*.csv' (patterns"

it "--data finds the file, before ENTRAIN_DATA, in the order given"
is "$(ENTRAIN_DATA=second slope --data first)" 2
is "$(slope --data nowhere --data second/ --data first)" 3

it "ENTRAIN_DATA alone finds it"
is "$(ENTRAIN_DATA=second slope)" 3

it "every command on a problem has the flag"
for c in check evaluate weights profile; do run $c p/p.yaml --data first; [[ $code -ne 2 ]] || wrong "$c: $(head -n 2 err)"; done
for c in fit compare basin recover scan; do run $c --help; out '--data DIR'; done

it "results do not overwrite a file that --data found"
run fit p/p.yaml --data first --json first/set/x.csv
status 2; err "would overwrite"

it "a page of a result finds the data again"
run fit p/p.yaml -q --method=lm --data first --json r.json
run report r.json -o r.html
status 0

it "a page of a result finds data that have moved, or that ENTRAIN_DATA gave, by --data"
ENTRAIN_DATA=first run fit p/p.yaml -q --method=lm --json r.json
run report r.json -o r.html
status 1; err "there is no file 'p/set/x.csv'"
run report r.json -o r.html --data first
status 0; no_err
run report r.json -o r.html --data second
status 1; err "x.csv"

it "a store keeps the folder of --data"
run fit p/p.yaml -q --method=lm --data second --store s.db
[[ $code -ne 2 ]] || wrong "$(head -n 2 err)"
run resume s.db
[[ $code -ne 2 ]] || wrong "$(head -n 2 err)"

it "a file beside the problem file comes first"
mkdir p/set; rows 4 >p/set/x.csv
is "$(ENTRAIN_DATA=second slope --data first)" 4

it "a path from the root is looked for nowhere else"
run check p/p.yaml --data first --set experiments.data=/set/x.csv
status 2; err "there is no file '/set/x.csv'$"
