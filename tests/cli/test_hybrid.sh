# Random models with events agree with the reference of tools/hybrid-trial, which shares no code with entrain.
source "$(dirname "$0")/lib.sh"
trial=$models/../tools/hybrid-trial

if command -v python3 >/dev/null; then
  it "simulates random hybrid models and their sensitivities as the reference does"
  python3 "$trial" --models 25 --seed 7 --jobs 1 --time-out 20 --sensitivities --entrain "$ENTRAIN" >out 2>err
  code=$?
  status 0; no_err; out '^25 models: .* 0 wrong, 0 wrong sensitivities, 0 hangs'

  it "draws hardly a model again"
  holds test "$(sed -n 's/.* \([0-9]*\) redrawn$/\1/p' out)" -le 2

  it "simulates random systems that stick, and their sensitivities, as forces by complementarity do"
  python3 "$trial" --models 12 --seed 4 --jobs 1 --time-out 20 --kind sticking --sensitivities --entrain "$ENTRAIN" >out 2>err
  code=$?
  status 0; no_err; out '^12 models: 12 ok'
else
  skip "simulates random hybrid models as the reference does" "no python3"
fi
