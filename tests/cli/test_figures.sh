# Pictures of results in a folder.
source "$(dirname "$0")/lib.sh"
source "$models/../tests/cli/problem.sh"

it "fit writes its pictures into a folder that it makes"
run fit decay.yaml --quiet --figures new/deep --method homotopy; status 0; no_out; no_err
for name in lambda-path parameters objective convergence data-and-model intervals residuals; do holds grep -q "</svg>" "new/deep/$name.svg"; done
holds test "$(find new -type f | wc -l)" = 7
it "as PNG, and again over the old ones"
run fit decay.yaml --quiet --figures new/deep --figure_format png; status 0
holds test "$(head -c 4 new/deep/data-and-model.png | tail -c 3)" = PNG
run fit decay.yaml --quiet --figures new/deep --figure_format png; status 0; no_err
it "as PDF, several formats at once, and all"
run fit decay.yaml --quiet --figures several --figure_format svg,pdf; status 0; no_out; no_err
holds test "$(head -c 5 several/data-and-model.pdf)" = %PDF-; holds test -s several/data-and-model.svg; holds test ! -e several/data-and-model.png
run fit decay.yaml --quiet --figures every --figure_format all; status 0; no_err
for end in svg png pdf; do holds test -s every/convergence.$end; done
holds cmp several/data-and-model.pdf every/data-and-model.pdf
it "compare, simulate, profile and basin have theirs"
run compare decay.yaml --methods homotopy,lm --quiet --figures c; status 0
for name in convergence parameters effort; do holds grep -q "</svg>" "c/$name.svg"; done
run simulate decay.mo --stop 2 --figures s; status 0; no_out; holds grep -q "Motion: Decay" s/motion.svg
run profile decay.yaml --quiet --figures p; status 0; holds test -s p/profiles.svg
run basin decay.yaml --quiet --grid 5 --figures b; status 0; holds test -s b/basin.svg
run evaluate decay.yaml --quiet --start k=1 --figures e; status 0; for name in data-and-model intervals residuals; do holds test -s "e/$name.svg"; done; holds test "$(find e -type f | wc -l)" = 3
run evaluate decay.yaml --quiet --start k=1 --lambda 1 --figures l; status 0; holds grep -q "tied model" l/data-and-model.svg
run fit decay.yaml --quiet --residual prediction --figures r; holds grep -q "predictions" r/data-and-model.svg; holds test -s r/free-run.svg
run weights decay.yaml --kind grid --figures w; status 0; out "weights of"; holds test -s w/weights.svg
run scan decay.yaml --over k=1:3:5 --quiet --figures n; status 0; no_out; holds test -s n/scan.svg
run check decay.yaml --quiet --figures k; status 0; no_out; holds grep -q "Effect of the parameters" k/sensitivity.svg; holds grep -q "at the start values" k/data-and-model.svg
run recover decay.yaml --quiet --truth k=2 --noise 0.01 --trials 5 --figures v --figure_format all; status 0; no_out; holds grep -q "Estimates of 5 trials" v/estimates.svg
for end in svg png pdf; do holds test -s v/trials.$end; done
it "a check of a model that cannot be simulated has nothing to draw"
printf 'model Explodes\n  parameter Real k = 1;\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = 100*k*x*x;\nend Explodes;\n' >explodes.mo
sed 's/decay.mo/explodes.mo/' decay.yaml >explodes.yaml
run check explodes.yaml --quiet --figures x1; status 1; no_out; err "there is nothing to draw"; holds test -d x1
it "names of several experiments"
printf 'model: decay.mo\nexperiments:\n  - {data: decay.csv, name: first run, measure: {x: x}}\n  - {data: decay.csv, name: second, measure: {x: x}}\nestimate: {k: {start: 0.5, min: 0.01, max: 50}}\n' >two.yaml
run fit two.yaml --quiet --figures two; status 0; holds test -s two/data-and-model-first-run.svg; holds test -s two/data-and-model-second.svg; holds test -s two/residuals-first-run.svg; holds test -s two/residuals-second.svg
it "names are no markup in pictures"
printf 'model: decay.mo\nexperiments:\n  - {data: decay.csv, name: "<script>", measure: {x: x}}\n  - {data: decay.csv, name: "b", measure: {x: x}}\nestimate: {k: {start: 0.5, min: 0.01, max: 50}, x.start: {start: 0.9, min: 0.1, max: 2}}\n' >odd.yaml
run fit odd.yaml --quiet --figures odd; holds test -s odd/correlations.svg; holds test "$(cat odd/*.svg | grep -c '<script')" = 0
it "a folder that cannot be written is an error before the fit"
: >file
run fit decay.yaml --figures file --json f.json; status 2; no_out; err "cannot write pictures to file: Not a directory"; holds test ! -e f.json
run fit decay.yaml --figures file/deep; status 2; no_out; err "cannot write pictures to file/deep: Not a directory"
run simulate decay.mo --stop 2 --figures file; status 2; no_out; err "Not a directory"
it "a format that does not exist, and a format without a folder"
run fit decay.yaml --figures x --figure_format pgn; status 2; no_out; err "one of svg, png, pdf, all"; holds test ! -e x
run fit decay.yaml --figures x --figure_format svg,,pdf; status 2; no_out; err "an empty name"; holds test ! -e x
run fit decay.yaml --figures x --figure_format svg,gif; status 2; no_out; err "one of svg, png, pdf, all"; holds test ! -e x
run fit decay.yaml --figure_format png; status 2; no_out; err "needs --figures DIR"
it "without cairo, or without a font, it says what to install, before the fit"
mkdir none; : >none/libcairo.so.2; echo '<fontconfig></fontconfig>' >fonts.conf
export LD_LIBRARY_PATH=$PWD/none
for format in png pdf svg,pdf all; do
  run fit decay.yaml --json z.json --figures z --figure_format $format; status 2; no_out; err "libcairo.so.2"; err "Debian: libcairo2"; holds test ! -e z; holds test ! -e z.json
done
run profile decay.yaml --png z.png; status 2; no_out; err "Debian: libcairo2"; holds test ! -e z.png
run scan decay.yaml --over k=1:3:5 --png z.png; status 2; no_out; err "Debian: libcairo2"; holds test ! -e z.png
run simulate decay.mo --stop 2 --figures z --figure_format pdf; status 2; no_out; err "Debian: libcairo2"
run fit decay.yaml --quiet --figures z; status 0; no_err; holds test -s z/data-and-model.svg
unset LD_LIBRARY_PATH
export FONTCONFIG_FILE=$PWD/fonts.conf
run fit decay.yaml --figures y --figure_format png; status 2; no_out; err "Debian: fonts-dejavu-core"; holds test ! -e y
run fit decay.yaml --quiet --figures y; status 0; no_err; holds test -s y/data-and-model.svg
unset FONTCONFIG_FILE
it "names of others are shown as text"
printf 'model: decay.mo\nexperiments:\n  - {data: decay.csv, name: "<script>alert(1)</script> \\"q\\" \\u001b[31m \\u202e \\u05e9\\u05dc", measure: {x: x}}\n  - {data: decay.csv, name: b, measure: {x: x}}\nestimate: {k: {start: 0.5, min: 0.01, max: 50}}\n' >odd.yaml
run fit odd.yaml --quiet --figures odd --figure_format all; status 0; no_err; holds test "$(find odd -name 'data-and-model-script-*' | wc -l)" = 3
holds grep -q "&lt;script&gt;alert(1)" odd/*script*.svg; holds test "$(cat odd/*.svg | grep -c -e '<script' -e $'\x1b')" = 0
printf 'model: decay.mo\nexperiments:\n  - {data: decay.csv, name: "%s", measure: {x: x}}\n  - {data: decay.csv, name: b, measure: {x: x}}\nestimate: {k: {start: 0.5, min: 0.01, max: 50}}\n' "$(printf 'n%.0s' {1..5000})" >long.yaml
run fit long.yaml --quiet --figures long --figure_format all; status 0; no_err; holds test "$(find long -name 'data-and-model-nn*' | wc -l)" = 3
