# tools/second-set: models of the second set agree with data that SciPy made, and every kind of wrong verdict is counted.
source "$(dirname "$0")/lib.sh"
root=$(cd "$models/.." && pwd)

if ! command -v python3 >/dev/null; then
  skip "judges verdicts on the second set" "no python3"
  exit
fi

second_set() { (cd "$root" && python3 tools/second-set "$@") >out 2>err; code=$?; }

it "follows the data of SciPy from the truth in every problem of the second set"
second_set "$(dirname "$ENTRAIN")" --check
status 0; no_err; holds test "$(grep -c '^ok' out)" -ge 24

# A command in whose `auto` only the point and the verdict are chosen by the test: a local search from POINT that ends with
# VERDICT and STATUS; everything else is entrain's.
mkdir build
cat >build/entrain <<'END'
#!/usr/bin/env python3
import json, os, subprocess, sys
words = sys.argv[1:]
auto = words[words.index("--method") + 1] == "auto"
if auto:
    words[words.index("--method") + 1] = "lm"
    words[words.index("--start") + 1] = os.environ["POINT"]
run = subprocess.run([os.environ["ENTRAIN"], *words], stdout=subprocess.PIPE)
result = json.loads(run.stdout)
if auto:
    result["certificate"] = {"verdict": os.environ["VERDICT"], "certain": os.environ["VERDICT"] == "certain"}
    if "RIVAL" in os.environ:  # a point that the fit calls another optimum, this factor away
        point = {p["name"]: p["value"] * float(os.environ["RIVAL"]) for p in result["parameters"]}
        result["certificate"]["optima"] = [{"objective": 1.001 * result["objective"], "parameters": point}]
    result["work"]["search"] = {"simulations": 0, "sensitivity_simulations": 3}
print(json.dumps(result))
sys.exit(int(os.environ["STATUS"]) if auto else run.returncode)
END
chmod +x build/entrain
judged() { # judged PROBLEM POINT VERDICT STATUS: its row of the last table
  [[ -v RIVAL ]] && export RIVAL
  export POINT=$2 VERDICT=$3 STATUS=$4
  second_set "$work/build" --starts 4 --lm 1 --jobs 1 --only "$1"
  row=$(grep "^| $1 " out)
}
cell() { [[ $(cut -d '|' -f $(($1 + 1)) <<<"$row" | xargs) == "$2" ]] || wrong "cell $1 is not $2: $row"; }

it "counts a certain result as wrong when a known point is better"
judged two_decays_far k1=1.6,k2=0.4 certain 0
status 0; cell 5 "0 of 4"; cell 7 4; cell 11 4; cell 12 0; out 'two_decays_far: \*\*certain and wrong\*\* 4 times'

it "does not count the better optimum as wrong"
judged two_decays_far k1=0.4,k2=1.6 certain 0
cell 5 "4 of 4"; cell 11 0; cell 12 0; cell 13 0

it "counts a certain result at exchangeable numbers, whichever of the two it is"
judged lags_in_series T1=2.1,T2=0.6 certain 0
cell 5 "4 of 4"; cell 11 0; cell 12 4
judged lags_in_series T1=0.6,T2=2.1 certain 0
cell 12 4

it "accepts exit status 1 where a rival exists, and counts it where there is none"
judged lags_in_series T1=2.1,T2=0.6 ambiguous 1
cell 9 4; cell 12 0; cell 13 0
judged falling_body q=0.021,v0=24,z0=1.8 ambiguous 1
cell 9 4; cell 13 4

it "believes no rival from which a search leads back to the best optimum"
RIVAL=1.1 judged epidemic beta=0.62,inc=0.31,rec=0.19,I0=4e-4 ambiguous 1
cell 9 4; cell 12 0; cell 13 4

it "counts an agreed result that is wrong by itself"
judged two_decays_far k1=1.6,k2=0.4 agreed 0
cell 11 0; cell 14 4

it "says when an error of the model that the data show was called certain"
judged cubic_30 m=1.5,c=1.1,k=60 certain 0
out 'cubic_30: certain 4 times although the data show the error'; out '^4 of 4 '

it "counts simulations for the search and for confirming apart"
cell 15 3; holds test "$(cut -d '|' -f 17 <<<"$row" | xargs)" -gt 0
