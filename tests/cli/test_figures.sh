# Pictures of results in a folder.
source "$(dirname "$0")/lib.sh"
source "$models/../tests/cli/problem.sh"

it "fit writes its pictures into a folder that it makes"
run fit decay.yaml --quiet --figures new/deep --method homotopy; status 0; no_out; no_err
for name in lambda-path parameters objective convergence data-and-model; do holds grep -q "</svg>" "new/deep/$name.svg"; done
holds test "$(find new -type f | wc -l)" = 5
it "as PNG, and again over the old ones"
run fit decay.yaml --quiet --figures new/deep --figure_format png; status 0
holds test "$(head -c 4 new/deep/data-and-model.png | tail -c 3)" = PNG
run fit decay.yaml --quiet --figures new/deep --figure_format png; status 0; no_err
it "compare, simulate, profile and basin have theirs"
run compare decay.yaml --methods homotopy,lm --quiet --figures c; status 0
for name in convergence parameters effort; do holds grep -q "</svg>" "c/$name.svg"; done
run simulate decay.mo --stop 2 --figures s; status 0; no_out; holds grep -q "Motion: Decay" s/motion.svg
run profile decay.yaml --quiet --figures p; status 0; holds test -s p/profiles.svg
run basin decay.yaml --quiet --grid 5 --figures b; status 0; holds test -s b/basin.svg
run evaluate decay.yaml --quiet --start k=1 --figures e; status 0; holds test -s e/data-and-model.svg; holds test "$(find e -type f | wc -l)" = 1
run evaluate decay.yaml --quiet --start k=1 --lambda 1 --figures l; status 0; holds grep -q "tied model" l/data-and-model.svg
run fit decay.yaml --quiet --residual prediction --figures r; holds grep -q "predictions" r/data-and-model.svg; holds test -s r/free-run.svg
run weights decay.yaml --kind grid --figures w; status 0; out "weights of"; holds test -s w/weights.svg
run scan decay.yaml --over k=1:3:5 --quiet --figures n; status 0; no_out; holds test -s n/scan.svg
it "names of several experiments"
printf 'model: decay.mo\nexperiments:\n  - {data: decay.csv, name: first run, measure: {x: x}}\n  - {data: decay.csv, name: second, measure: {x: x}}\nestimate: {k: {start: 0.5, min: 0.01, max: 50}}\n' >two.yaml
run fit two.yaml --quiet --figures two; status 0; holds test -s two/data-and-model-first-run.svg; holds test -s two/data-and-model-second.svg
it "a folder that cannot be written is an error before the fit"
: >file
run fit decay.yaml --figures file --json f.json; status 2; no_out; err "cannot write pictures to file: Not a directory"; holds test ! -e f.json
run fit decay.yaml --figures file/deep; status 2; no_out; err "cannot write pictures to file/deep: Not a directory"
run simulate decay.mo --stop 2 --figures file; status 2; no_out; err "Not a directory"
it "a format that does not exist, and a format without a folder"
run fit decay.yaml --figures x --figure_format pgn; status 2; no_out; err "it is one of svg, png"; holds test ! -e x
run fit decay.yaml --figure_format png; status 2; no_out; err "needs --figures DIR"
