# Methods side by side.
source "$(dirname "$0")/lib.sh"
source "$models/../tests/cli/problem.sh"

it "a row for each method, with work, objective and error"
run compare decay.yaml --methods homotopy,lm,lm:derivatives=forward:label=differences --truth k=2; status 0; no_err
out "^decay.yaml: 3 methods compared in"; out "method .*evaluations .*fair .*objective .*error"; out "^  homotopy .*yes"; out "^  differences "
it "no line is wider than 80 columns"
holds awk 'length > 80 { exit 1 }' out
it "--format csv and json hold the same figures, -o writes them"
run compare decay.yaml --methods lm,ga:population=10:generations=5 --truth k=2 --seeds 3 --format json -o c.json; status 0; no_out; no_err; valid_json c.json
run compare decay.yaml --methods lm,ga:population=10:generations=5 --truth k=2 --seeds 3 --format csv -o c.csv; status 0; no_out
json c.json "[m['label'] for m in d['methods']] == ['lm', 'ga population=10 generations=5'] and [len(m['runs']) for m in d['methods']] == [1, 3]"
json c.json "d['truth'] == {'k': 2} and [r['seed'] for r in d['methods'][1]['runs']] == [1, 2, 3]"
json c.json "[float(l.split(',')[13]) for l in open('c.csv').read().split('\n')[1:3]] == [m['median']['objective'] for m in d['methods']]"
json c.json "all(m['median']['fair'] == m['median']['simulations'] + 2*m['median']['sensitivity_simulations'] for m in d['methods'])"
it "searches are compared, not what confirms them: auto counts its own work"
run compare decay.yaml --methods auto --format json -o a.json; status 0; run fit decay.yaml --json f.json --quiet
json a.json "d['methods'][0]['runs'][0]['fits'] and all(d['methods'][0]['median'][k] == json.load(open('f.json'))['work']['search'][k] for k in ('iterations', 'simulations', 'sensitivity_simulations'))"
it "which results were confirmed is in every format"
run compare decay.yaml --methods lm,auto --confirm on; status 0; tr -s '\n ' ' ' <out >line; holds grep -q "were made to confirm the results of auto\." line
run compare decay.yaml --methods lm,auto --confirm on --format markdown; status 0; out "were made to confirm the results of auto\.$"
run compare decay.yaml --methods lm,auto --confirm on --format csv; status 0; out "^method,.*,same,confirmed,k$"; out "^lm,.*,,0,[0-9.]*$"; out "^auto,.*,,1,[0-9.]*$"
run compare decay.yaml --methods lm,auto --confirm on --format json -o y.json; status 0; json y.json "[m['confirmed'] for m in d['methods']] == [False, True]"
run compare decay.yaml --methods auto; status 0; out "was confirmed by searches from elsewhere (--confirm on"
run compare decay.yaml --methods lm,lmder --confirm on --format markdown; status 0; out "none of these methods does that"
it "the layout of the paper has its four columns, published figures stand below"
printf '# Somebody, table 2\nmethod,iterations,evaluations,objective\nPD,30,165,1.8e-14\n' >published.csv
run compare decay.yaml --methods lm --layout paper --format markdown --published published.csv; status 0
out "^| method | iterations | function evaluations | error (J) |$"; out "^| PD (published) | 30 | 165 | 1.8e-14 |$"; out "^published: Somebody, table 2$"
it "the layout of threads compares one with several"
run compare decay.yaml --methods lm:derivatives=central:label=central,multistart"(lm,4)" --layout parallel --threads 2; status 0; out "n seq .*t seq .*n par .*t par"; out "2 threads"; out "yes$"
it "traces and pictures are written"
run compare decay.yaml --methods homotopy,lm --trace t.csv --svg t.svg --png t.png --quiet; status 0; no_out; no_err
holds grep -q "^method,run,seed,stage,lambda,iteration,evaluations,fair,objective,free_objective,best,seconds,k$" t.csv
holds grep -q "^homotopy,1,1," t.csv; holds grep -q "^lm,1,1," t.csv; holds grep -q "</svg>" t.svg; holds test "$(head -c 4 t.png | tail -c 3)" = PNG
it "commas inside of parentheses belong to the method, a truth may come from the model"
run compare decay.yaml --methods "multistart(lm, 5):label=many,lm" --truth --format json; status 0; out '"label": "many"'; out '"truth": {"k": 1}'
it "every method from the same random starts"
run compare decay.yaml --methods lm,lmder --random_starts 4 --truth k=2 --format json -o r.json; status 0
json r.json "[m['found'] for m in d['methods']] == [4, 4] and len({str(r['start']) for m in d['methods'] for r in m['runs']}) == 4"
it "without --methods the usual ones are compared"
run compare decay.yaml --max_simulations 60 --format csv; status 0; holds test "$(wc -l <out)" -gt 12; out "^auto,"; out "^cma-es,"
it "an unknown method gets the nearest name"
run compare decay.yaml --methods lm,homotpy; status 2; no_out; err "did you mean 'homotopy'"
it "an unknown option of a method gets the nearest name and its place"
run compare decay.yaml --methods lm,ga:populaton=3; status 2; no_out; err "did you mean 'population'? (in 'ga:populaton=3')"
it "what cannot be is refused with what can"
run compare decay.yaml --methods lm --layout wide; status 2; no_out; err "it is one of full, paper, parallel"
run compare decay.yaml --methods lm --format tables; status 2; no_out; err "did you mean 'table'"
run compare decay.yaml --methods lm --seeds 0; status 2; no_out; err "whole number from 1"
run compare decay.yaml --methods lm --found 2; status 2; no_out; err "above 0 and below 1"
run compare decay.yaml --methods lm --truth q=3; status 2; no_out; err "'q' is not estimated"
run compare decay.yaml --methods lm,; status 2; no_out; err "methods"
it "published figures that cannot be read are told with their place, and are not overwritten"
printf 'method,steps\nPD,3\n' >wrong.csv
run compare decay.yaml --methods lm --published wrong.csv; status 2; no_out; err "^wrong.csv:1:8: error: unknown column 'steps'"
run compare decay.yaml --methods lm --published published.csv -o published.csv; status 2; err "would overwrite"
it "a method that cannot keep constraints has a row that says so, the others go on"
sed 's/^estimate:/constraints: ["k <= 5"]\nmethod: sqp\nestimate:/' decay.yaml >kept.yaml
run compare kept.yaml --methods lm,sqp --truth k=2; status 0; out "^  lm .*refused"; out "does not support constraints"; out "^  sqp .*yes"
it "the exit status is 1 when no method gave a result"
run compare kept.yaml --methods lm; status 1; out "refused"
it "--progress tells which method runs"
run compare endless.yaml --methods auto --max_seconds 1.5 --progress; err "^auto (1 of 1)"
it "a signal ends it with the rows so far and exit status 1"
interrupt INT '^auto (2 of 3)' compare endless.yaml --methods lm,auto,homotopy --format json -o s.json
status 1; valid_json s.json; json s.json "d['stopped'] and [m['label'] for m in d['methods']] == ['lm', 'auto'] and d['methods'][1]['outcome'] == 'stopped'"
it "methods may stand in a file, one in each line; what is wrong there has its line"
printf '# two\nlm\n\n  lm:derivatives=forward:label=with, differences\n' >list.txt
run compare decay.yaml --methods @list.txt --format json; status 0; out '"label": "lm"'; out '"label": "with, differences"'
printf 'lm\nlmm\n' >list.txt
run compare decay.yaml --methods @list.txt; status 2; no_out; err "list.txt:2: unknown method 'lmm'"
run compare decay.yaml --methods @there_is_none; status 2; no_out; err "there_is_none"
it "the list of methods is not overwritten, and is not empty"
printf 'lm\n' >list.txt
run compare decay.yaml --methods @list.txt -o list.txt; status 2; err "would overwrite 'list.txt'"; holds test "$(cat list.txt)" = lm
run compare decay.yaml --methods @/dev/null; status 2; no_out; err "names no method"
it "a method that stands twice has a number"
run compare decay.yaml --methods lm,lm --format csv; status 0; out "^lm,"; out "^lm (2),"
it "counts that are none are told with their flag"
run compare decay.yaml --methods lm --seeds x; status 2; no_out; err "error: --seeds: 'x'"
it "columns without room are named, a wider terminal shows them"
run compare decay.yaml --methods lm,implicit-filtering --truth k=2; status 0; out "No room for .*time"
COLUMNS=200 run compare decay.yaml --methods lm,implicit-filtering --truth k=2; status 0; out "with slopes .*time"; if grep -q "No room" out; then holds false; fi
it "constraints need no method in the file"
sed 's/^estimate:/constraints: ["k <= 5"]\nestimate:/' decay.yaml >kept.yaml
run compare kept.yaml --methods lm,sqp,auto --truth k=2; status 0; out "^  lm .*refused"; out "^  sqp .*yes"; out "^  auto .*yes"
it "a model that cannot be simulated gives no numbers"
printf 'model Never\n  parameter Real k = 3;\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = sqrt(-1 - k^2 - x^2);\nend Never;\n' >never.mo
printf 't,x\n0,1\n1,0.5\n2,0.3\n3,0.1\n' >never.csv; printf 'model: never.mo\nexperiments: [{data: never.csv, measure: {x: x}}]\nestimate: {k: {start: 5, min: 1, max: 9}}\n' >never.yaml
run compare never.yaml --methods lm,ga:population=4:generations=2 --format csv; status 1; out "^lm,0,lm,no-start,1,0,.*,$"; if grep -q ",5$" out; then holds false; fi
it "a portfolio that reaches the target has converged"
run compare decay.yaml --methods "portfolio(ga,lm):target_objective=1" --format json; status 0; out '"outcome": "converged"'
run fit decay.yaml --method "portfolio(ga,lm)" --target_objective 1 --quiet; status 0
