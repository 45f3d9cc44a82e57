#!/bin/bash
# examples/real: the figures that their READMEs state, on held-back data. The records are not part of the project.
. "$(dirname "$0")/lib.sh"
root=$models/..
data=${ENTRAIN_DATA:-$root/../shared/data}
export ENTRAIN_DATA=$data
rigs=$root/examples/real

# held_back RIG LIMIT: the error of all validation channels together after a fit of its problem file is at most LIMIT, and above a tenth
# of it, so that a wrong file or unit is noticed.
held_back() {
  run fit "$rigs/$1/problem.yaml" --confirm=off --profiles=off --method="${3:-auto}" --json r.json
  local v; v=$(python3 -c 'import json
rows = [(c["n"], c["rmse"]) for c in json.load(open("r.json"))["channels"] if c["role"] == "validation"]
print((sum(n*e*e for n, e in rows)/sum(n for n, _ in rows))**0.5)')
  awk -v v="$v" -v most="$2" 'BEGIN { exit !(v <= most && v > most/10) }' || wrong "$1 has $v on what was held back, at most $2 is allowed"
}
record() { # record FILE RIG: true if it is there; else a line says what is missing
  [[ -e $data/$1 ]] || { skip "$2" "there is no $data/$1 (examples/real/$2/README.md)"; return 1; }
}

it "without its record an example says what is missing"
for rig in emps cascaded_tanks single_pendulum double_pendulum mr_damper; do
  ENTRAIN_DATA=$work/none run check "$rigs/$rig/problem.yaml"
  status 2; err "there is no file .* and no '$work/none/.*csv'"; err "see README.md"
done

it "without records the choice of a structure is skipped with a clear line"
for rig in emps cascaded_tanks single_pendulum double_pendulum mr_damper; do
  python3 "$rigs/$rig/choose.py" --data "$work/none" >out 2>err && wrong "$rig: choose.py does not end"
  err "skipped: there is no .*csv"
done

if record emps/DATA_EMPS.csv emps; then
  it "EMPS: at most 5 mm"
  held_back emps 0.005 lm
  it "EMPS: sign(v) and its smooth form of 1 mm/s give the same mass and friction within their intervals"
  for law in four sign; do run fit "$rigs/emps/$law.yaml" --method=lm --profiles=off --json $law.json; done
  python3 - <<'END' || wrong "they differ"
import json
a, b = ({p["name"]: p for p in json.load(open(f"{law}.json"))["parameters"]} for law in ("four", "sign"))
inside = lambda p, q: q["ci95"][0] <= p["value"] <= q["ci95"][1]
assert all(inside(a[k], b[k]) and inside(b[k], a[k]) for k in a), (a, b)
END
fi
if record cascaded-tanks/dataBenchmark.csv cascaded_tanks; then
  it "cascaded tanks: at most 0.24 V"
  held_back cascaded_tanks 0.24 homotopy
fi
if record multiarm-pendulum/single_identification.csv single_pendulum; then
  it "single pendulum: at most 0.0178 rad"
  held_back single_pendulum 0.0178 lm
fi
if record multiarm-pendulum/double_identification.csv double_pendulum; then
  it "double pendulum: at most 0.0072 rad"
  held_back double_pendulum 0.0072 weak
fi
if record mr-damper-labcontrol/mrdamper_4.1.csv mr_damper; then
  it "MR damper: at most 8.3 N"
  held_back mr_damper 8.3 homotopy
  it "MR damper: a product that alone is determined is named"
  run fit "$rigs/mr_damper/redundant.yaml" --method=homotopy --confirm=off --profiles=off
  out 'alpha\*A'
fi
