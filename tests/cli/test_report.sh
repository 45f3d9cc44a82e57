# Pages of results: --report on every command that has a report, and of results that exist already. tests/browser looks at them.
source "$(dirname "$0")/lib.sh"
source "$models/../tests/cli/problem.sh"
here=$models/../tests/cli examples=$models/../examples
if ! command -v python3 >/dev/null; then skip "pages of results" "no python3"; exit 0; fi

# page FILE BYTES: its structure is sound, it asks nobody for anything, and it names no folder of this machine
page() {
  python3 -B "$here/check_page.py" "$1" "$2" >faults 2>&1 || wrong "$1: $(head -n 3 faults)"
  ! grep -q -F -e "$work" -e "${HOME:-/none/}/" "$1" || wrong "$1 names a folder: $(grep -o -F -e "$work" -e "${HOME:-/none/}/" "$1" | head -n 1)"
}
has() { grep -q -e "$2" "$1" || wrong "$1 lacks '$2'"; }
lacks() { ! grep -q -e "$2" "$1" || wrong "$1 has '$2': $(grep -m 1 -o -e ".\{0,40\}$2.\{0,40\}" "$1")"; }
# written FILE ...: these files are here, and nothing that was half written
written() {
  for file in "$@"; do holds test -s "$file"; done
  [[ -z $(find . -name '*.??????' -newer mark -not -name '*.report') ]] || wrong "left: $(find . -name '*.??????' -newer mark)"
}
: >mark

# ---- every command

it "every command with a report writes it as a page"
for words in "fit decay.yaml" "fit decay.yaml --method homotopy" "evaluate decay.yaml --start k=1" "check decay.yaml" "recover decay.yaml --trials 3" \
  "profile decay.yaml" "basin decay.yaml --grid 4" "compare decay.yaml --methods lm,homotopy" "scan decay.yaml --over k=1:3:5" \
  "scan decay.yaml --over k=1:3:5,x.start=1:2:3" "weights decay.yaml --kind grid"; do
  rm -f page.html
  run $words --quiet --report page.html
  [[ $code -le 1 ]] || wrong "$words: exit status $code: $(head -n 3 err)"
  page page.html 2e6
  has page.html "<h1>entrain ${words%% *}: decay.yaml</h1>"; has page.html "<code>entrain $words --quiet --report page.html</code>"
  has page.html "What it was made from"; has page.html "parameter Real k"
done
written page.html
it "a fit in words and pictures, with what it was made from"
run fit decay.yaml --report fit.html --json fit.json; status 0; no_err; out "converged"; page fit.html 2e6
for part in 'id="parameters"' 'id="fit"' 'id="figure-data-and-model"' 'id="figure-convergence"' '"name":"data"' '"name":"model"' \
  '<td>decay.csv</td>' '<td>decay.mo</td>' "$(sha256sum decay.csv | cut -c1-16)"; do has fit.html "$part"; done
it "the same result is the same page"
run fit decay.yaml --report second.html -q
holds cmp <(sed 's/second.html/fit.html/; s/ --quiet//; s/[0-9.]* m\?s; objective/; objective/' second.html) <(sed 's/ --json fit.json//; s/[0-9.]* m\?s; objective/; objective/' fit.html)
it "examples of every kind"
for name in fmu_oscillator program_vehicle bicycle_weights frewin vehicle14; do
  [[ -e $examples/$name/problem.yaml ]] || continue
  [[ $name != fmu_* && $name != program_* || -n $(find "$examples/$name" -name '*.fmu' -o -perm -u+x -type f -not -name '*.sh') ]] || continue
  run evaluate "$examples/$name/problem.yaml" -q --report example.html
  [[ $code -le 1 ]] || wrong "$name: exit status $code: $(head -n 3 err)"
  page example.html 2e6
  lacks example.html "$(cd "$examples" && pwd)/$name"
done

# ---- what stands in it

it "--report_without leaves out the data, the model or both"
run fit decay.yaml -q --report d.html --report_without data; status 0; page d.html 2e6
lacks d.html 'figure-data-and-model'; lacks d.html '"name":"data"'; lacks d.html 'figure-residuals'; has d.html "parameter Real k"; has d.html "Left out of this page: the data."
run fit decay.yaml -q --report m.html --report_without model; status 0; page m.html 2e6
lacks m.html "parameter Real k"; lacks m.html "start: 0.5, min"; has m.html 'figure-data-and-model'; has m.html "<td>decay.mo</td>"
run fit decay.yaml -q --report b.html --report_without model,data; status 0; page b.html 2e6
lacks b.html "parameter Real k"; lacks b.html 'figure-data-and-model'; has b.html "the model and the data"
run weights decay.yaml --kind grid -q --report w.html --report_without data; status 0; page w.html 2e6; lacks w.html "<figure"
it "no folder is named, wherever the problem is and the command runs"
mkdir -p "home & <b>/plant"; cp decay.* "home & <b>/plant"; folder="$work/home & <b>"
(cd "$folder" && HOME=$folder "$ENTRAIN" fit "$folder/plant/decay.yaml" --set "experiments.0.data=$folder/plant/decay.csv" -q --report "$work/abs.html") || wrong "it does not run"
page abs.html 2e6; lacks abs.html "home &amp;"; lacks abs.html "home ."; has abs.html "data=decay.csv"; has abs.html "<p class=\"verdict\">decay.yaml: "
(cd / && HOME=/p "$ENTRAIN" fit "$work/decay.yaml" -q --report "$work/root.html") || wrong "it does not run in the root"
page root.html 2e6; has root.html "^// Charts of the curves"; has root.html "</p>"
it "the command can be copied: keys stay, folders of files do not, words are quoted"
run fit ./decay.yaml --set 'estimate.k.max=100/2' --set "experiments.0.name=Anna's run" -q --report ./new.html; page new.html 2e6
has new.html "entrain fit decay.yaml --set estimate.k.max=100/2 --set &#39;experiments.0.name=Anna&#39;\\\\&#39;&#39;s run&#39; --quiet --report new.html</code>"
it "names of others are texts, never markup"
bad="<img src=x onerror=window.hacked=1>"
mkdir bad; printf 'model M "</script><u>"\n  parameter Real '"'k$bad'"'(unit = "%s") = 2 "--> ]]> <!--";\n  Real '"'x\"$bad'"'(start = 1, fixed = true, unit = "</style>%s");\nequation\n  der('"'x\"$bad'"') = -'"'k$bad'"'*'"'x\"$bad'"';\nend M;\n' "$bad" "$bad" >"bad/$bad.mo"
sed "1s/.*/t,\"$bad\"/" decay.csv >"bad/$bad.csv"
long=$(printf '%10000s' | tr ' ' '<')
cat >"bad/$bad.yaml" <<END
model: '$bad.mo'
experiments:
  - {name: '$bad', data: '$bad.csv', measure: {"'x\\"$bad'": '$bad'}}
  - {name: '$bad.', data: '$bad.csv', measure: {"'x\\"$bad'": '$bad'}}
  - {name: "\\u202Eback \\e[31m </title></style></script> \\"", data: '$bad.csv', measure: {"'x\\"$bad'": '$bad'}}
  - {name: "$long", data: '$bad.csv', measure: {"'x\\"$bad'": '$bad'}}
estimate: {"'k$bad'": {start: 1}}
END
run fit "bad/$bad.yaml" -q --report bad.html --json bad/bad.json; [[ $code -le 1 ]] || wrong "exit status $code: $(head -n 3 err)"; page bad.html 3e6; lacks bad.html "<img"; lacks bad.html "<u>"
run report bad/bad.json -o bad2.html; [[ $code -le 1 ]] || wrong "exit status $code: $(head -n 3 err)"; page bad2.html 3e6; lacks bad2.html "<img"
name=$'bytes\xff\xe2\x80\xae.yaml'; cp decay.yaml "$name"
run fit "$name" -q --report bytes.html; status 0; page bytes.html 2e6; has bytes.html $'bytes\xef\xbf\xbd'

it "a fit that is interrupted has its page"
interrupt INT '^growing horizon' fit endless.yaml --report stopped.html; status 1; page stopped.html 2e6; has stopped.html "stopped"

# ---- places

it "- is standard output, which then has nothing else"
for words in "fit decay.yaml" "scan decay.yaml --over k=1:3:5" "weights decay.yaml --kind grid" "check decay.yaml"; do
  run $words --report -; [[ $code -le 1 ]] || wrong "$words: exit status $code"
  holds test "$(head -c 15 out)" = "<!DOCTYPE html>"; cp out stdout.html; page stdout.html 2e6
done
it "what is read is not overwritten, and no place is used twice"
for file in decay.yaml decay.mo decay.csv; do
  cp $file before; run fit decay.yaml -q --report $file; status 2; err "--report would overwrite '$file', which is read"; holds cmp before $file
done
sed 's/Decay/Other/' decay.mo >other.mo; cat decay.mo other.mo >both.mo; sed 's/decay.mo/both.mo#Decay/' decay.yaml >both.yaml
cp both.mo before; run fit both.yaml -q --report both.mo; status 2; err "would overwrite"; holds cmp before both.mo
run fit decay.yaml -q --json same.html --report same.html; status 2; err "cannot both be 'same.html'"; holds test ! -e same.html
it "a place that cannot be written is an error before the fit, and nothing is written"
run fit decay.yaml --report nowhere/page.html --json none.json; status 2; no_out; err "cannot write nowhere/page.html"; holds test ! -e none.json
mkdir folder; run fit decay.yaml --report folder --json none.json; status 2; err "Is a directory"; holds test ! -e none.json
it "--report_without: wrong words, no page"
run fit decay.yaml --report none.html --report_without modle --json none.json; status 2; no_out; err "takes model, data or model,data"; holds test ! -e none.html -a ! -e none.json
run fit decay.yaml --report none.html --report_without ''; status 2; holds test ! -e none.html
run fit decay.yaml --report_without data; status 2; no_out; err "needs --report FILE"
run scan decay.yaml --over k=1:3:5 --report_without data; status 2; no_out; err "needs --report FILE"
it "a page that was there stays if there is no new one"
echo old >old.html; run fit nothing.yaml --report old.html; status 2; holds test "$(cat old.html)" = old
run fit decay.yaml --set estimate.k.start=nonsense --report old.html; status 2; holds test "$(cat old.html)" = old
written old.html

# ---- entrain report: JSON

it "report makes the page of a written fit"
run fit decay.yaml -q --json r.json; status 0
json r.json "[f['path'] for f in d['files']] == ['decay.yaml', 'decay.mo', 'decay.csv'] and all(len(f['sha256']) == 64 for f in d['files']) and d['settings'] == []"
json r.json "d['files'][2]['bytes'] == $(stat -c %s decay.csv) and d['files'][2]['sha256'] == '$(sha256sum decay.csv | cut -d' ' -f1)'"
run report r.json; status 0; no_out; no_err; page r.html 2e6
for part in 'id="parameters"' 'id="figure-data-and-model"' '"name":"data"' "<h1>entrain report: r.json</h1>" "parameter Real k"; do has r.html "$part"; done
holds grep -q "$(python3 -c "import json; print('%.4g' % json.load(open('r.json'))['parameters'][0]['value'])")" r.html
it "with --set, options and --start of the first command"
run fit decay.yaml -q --json set.json --set 'estimate.k.max=3,experiments.0.window=[0,1]' --loss huber --start k=0.9 -j 1; status 0
json set.json "[(s['name'], s['value'], s['option']) for s in d['settings']] == [('estimate.k.max', '3', False), ('experiments.0.window', '[0,1]', False), ('loss', 'huber', True)] and d['parameters'][0]['start'] == 0.9"
run report set.json; status 0; no_err; page set.html 2e6
holds python3 - <<'END'
import json, re
plots = json.loads(re.search(r'id="plots">(.*?)</script>', open("set.html").read(), re.S).group(1))
x = plots[0]["series"][0]["x"]
assert max(x) <= 1 and len(x) == 21
END
it "of an evaluation, and of one that did not converge"
run evaluate decay.yaml --start k=1 -q --json e.json; run report e.json; status 0; page e.html 2e6; has e.html "figure-data-and-model"
run fit decay.yaml -q --max_iterations 1 --method lm --json stopped.json; status 1; run report stopped.json; status 0; page stopped.html 2e6
it "changed data are noticed: in the page, on standard error, by the exit status"
cp decay.csv before; sed -i '5s/[0-9]$/x&/; 5s/x[0-9]$/7/' decay.csv; cmp -s before decay.csv && sed -i '5s/7$/8/' decay.csv
run report r.json; status 1; err "Changed since the result was made: decay.csv."; page r.html 2e6; has r.html "Changed since the result was made: decay.csv"; cp before decay.csv
cp decay.mo before; echo "// more" >>decay.mo; run report r.json; status 1; err "Changed since the result was made: decay.mo."; cp before decay.mo
cp decay.yaml before; echo "# more" >>decay.yaml; run report r.json; status 1; err "Changed since the result was made: decay.yaml."; cp before decay.yaml
run report r.json; status 0; no_err; lacks r.html "Changed since"
it "a missing file leaves the words and says so"
mv decay.csv gone.csv; run report r.json; status 1; err "There are no pictures of data and model: .*decay.csv"; page r.html 2e6; has r.html 'id="parameters"'; lacks r.html "<figure"; mv gone.csv decay.csv
mkdir -p lost; cp r.json lost; (cd lost && "$ENTRAIN" report r.json >../out 2>../err); code=$?; status 1; err "decay.yaml"; page lost/r.html 2e6; has lost/r.html 'id="parameters"'
it "the problem is found beside the result, or with --problem"
mkdir -p moved; cp decay.* r.json moved; (cd moved && "$ENTRAIN" report r.json >../out 2>../err); code=$?; status 0; no_err; page moved/r.html 2e6
mkdir -p apart; cp decay.* apart; run fit apart/decay.yaml -q --json apart.json; mv apart later; mv decay.yaml away.yaml; run report apart.json; status 1; mv away.yaml decay.yaml
run report apart.json --problem later/decay.yaml; status 0; no_err; page apart.html 2e6; has apart.html "figure-data-and-model"
cp decay.csv before; echo 9,9 >>later/decay.csv; run report apart.json --problem later/decay.yaml; status 1; err "Changed"
it "where the page goes"
run report r.json -o -; status 0; holds test "$(head -c 15 out)" = "<!DOCTYPE html>"
cp r.json "12:30.json"; run report 12:30.json; status 0; holds test -s 12:30.html
cp r.json r; run report r; status 0
run report r.json -o there.html --report_without model,data; status 0; page there.html 2e6; lacks there.html "parameter Real k"; lacks there.html "figure-data-and-model"
it "what is read is not overwritten"
for file in r.json decay.yaml decay.mo decay.csv; do cp $file before; run report r.json -o $file; status 2; err "would overwrite '$file', which is read"; holds cmp before $file; done
it "what is no result of a fit is refused, and no page is written"
: >mark
run basin decay.yaml -q --grid 4 --json map.json; run report map.json; status 2; no_out; err "map.json is no result of 'entrain fit' or 'entrain evaluate'"; holds test ! -e map.html
run profile decay.yaml -q --json prof.json; run report prof.json; status 2; err "is no result"; holds test ! -e prof.html
echo '{"a": 1' >broken.json; run report broken.json; status 2; err "broken.json:"; holds test ! -e broken.html
cp decay.csv csv.json; run report csv.json; status 2; holds test ! -e csv.html
head -c 3000 /dev/urandom >random.json; run report random.json; status 2; holds test ! -e random.html
run report nothing.json; status 2; err "nothing.json.*No such file"; holds test ! -e nothing.html
run report folder; status 2
run report; status 2; run report r.json fit.json; status 2
run report r.json --report_without dat -o none.html; status 2; err "takes model, data"; holds test ! -e none.html
run report r.json -o nowhere/x.html; status 2; err "cannot write"
written

# ---- entrain report: stores

it "a study of a store becomes a page, also where its files are not"
run basin decay.yaml -q --grid 6 --method lm --store s.db --json s.json; status 0
run report s.db; status 0; no_err; no_out; page s.html 2e6; has s.html "<h1>entrain basin: decay.yaml</h1>"; has s.html "figure-basin"; has s.html "parameter Real k"
mkdir -p far; (cd far && "$ENTRAIN" report ../s.db -o far.html >../out 2>../err); code=$?; status 0; no_err; page far/far.html 2e6; has far/far.html "parameter Real k"; has far/far.html "<td>decay.csv</td>"
it "the study is chosen by its number"
run fit decay.yaml -q --store s.db; status 0
run report s.db -o newest.html; status 0; page newest.html 2e6; has newest.html "<h1>entrain fit: decay.yaml</h1>"; has newest.html "figure-data-and-model"
run report s.db --study 1 -o first.html --report_without model; status 0; has first.html "figure-basin"; lacks first.html "parameter Real k"
run report s.db --study 7; status 2; err "there is no such study"
it "compare and recover of a store, and resume with --report"
run compare decay.yaml --methods lm,homotopy -q --store c.db; run report c.db; status 0; page c.html 2e6; has c.html "<h1>entrain compare"
run recover decay.yaml --trials 3 -q --store v.db; run resume v.db -q --report v.html; [[ $code -le 1 ]] || wrong "exit status $code"; page v.html 2e6; has v.html "<h1>entrain recover"
it "the files of a result are those of the store, wherever it is resumed"
run fit decay.yaml -q --store f.db --json f.json; status 0; (cd far && "$ENTRAIN" resume ../f.db -q --json f.json) || wrong "it is not resumed"; holds cmp f.json far/f.json
it "the JSON that a first command wrote is not written again"
rm -f s.json; run report s.db --study 1 -o first.html; status 0; holds test ! -e s.json
it "of a study that is not done there is none"
python3 -c "import sqlite3; c = sqlite3.connect('s.db'); c.execute('UPDATE study SET state = 0 WHERE id = (SELECT max(id) FROM study)'); c.commit()" 2>/dev/null || python3 -c "import sqlite3; c = sqlite3.connect('s.db'); c.execute('UPDATE study SET state = 0'); c.commit()"
rm -f open.html; run report s.db -o open.html; status 2; err "is not done: 'entrain resume' goes on with it"; holds test ! -e open.html
it "what is no store"
run report decay.csv; status 2; run report postgresql://localhost:1/none -o none.html; status 2; holds test ! -e none.html

# ---- much data

if [[ $ENTRAIN == *-san* ]]; then skip "a fit of a million samples has a small page, made soon" "sanitizers are slow"; exit; fi
it "a fit of a million samples has a small page, made soon"
awk 'BEGIN { srand(1); print "t,x"; for (i = 0; i < 1000000; i++) { t = i*5e-6; printf "%.6f,%.5f\n", t, exp(-0.7*t) + 0.05*(rand() - 0.5) } }' >big.csv
printf 'model: decay.mo\nexperiments: [{data: big.csv, measure: {x: x}}]\nestimate: {k: {start: 1.2}}\nmethod: lm\n' >big.yaml
cpu() { local TIMEFORMAT="%U %S"; { time run "$@"; } 2>&1 | awk '{ print $1 + $2 }'; }
plain=$(cpu fit big.yaml -q --json big.json); paged=$(cpu fit big.yaml -q --json big.json --report big.html)
echo "# $plain s of CPU, with a page $paged s, $(stat -c %s big.html) bytes"
page big.html 5e6; has big.html "figure-data-and-model"
[[ ${BUILD-} == *-san* ]] || holds awk -v a="$plain" -v b="$paged" 'BEGIN { exit !(b - a < 2) }'
