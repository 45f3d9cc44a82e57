# Reports about a model.
source "$(dirname "$0")/lib.sh"

it "info tells name, states and parameters"
run info decay.mo; status 0; no_err; out "Decay"; out "x"; out "k"
it "--flat is a model again, which means the same"
run info decay.mo --flat; status 0; out "der(x)"; cp out flat.mo
run simulate decay.mo --stop 1 --step 0.1; cp out expected; run simulate flat.mo --stop 1 --step 0.1; status 0; holds cmp out expected
it "--equations names what is solved"
run info decay.mo --equations; status 0; no_err; out "der(x)"
it "--json is valid"
run info decay.mo --json; status 0; if command -v python3 >/dev/null; then holds python3 -m json.tool out; fi
it "--dot is a graph"
run info decay.mo --dot; status 0; out "digraph"
