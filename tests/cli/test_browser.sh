# Pages of reports in a browser: tests/browser has what must hold.
source "$(dirname "$0")/lib.sh"
source "$models/../tests/cli/problem.sh"
[[ $ENTRAIN == *-san* ]] && { skip "pages of reports in a browser" "the same pages without sanitizers"; exit 0; }
root=$models/.. examples=$models/../examples
for program in python3 "${CHROMIUM:-chromium}"; do
  command -v "$program" >/dev/null || { skip "pages of reports in a browser" "no $program (tools/setup browser)"; exit 0; }
done

# look: lets one Chromium do what the lines of the file plan say; each of its checks is a test
: >plan
look() {
  local result sentence fault checks=0
  TMPDIR=$work python3 -B "$root/tests/browser/run.py" <plan >looked 2>complaints
  local ended=$?
  while IFS=$'\t' read -r result sentence fault; do
    it "$sentence"
    [[ $result == ok ]] || wrong "$fault"
    checks=$((checks + 1))
  done <looked
  it "Chromium has looked at all pages and left nothing behind"
  [[ ! -s complaints ]] || wrong "$(tail -n 5 complaints)"
  [[ $ended -le 1 && $checks -gt 0 ]] || wrong "exit status $ended after $checks checks"
  holds test -z "$(find . -maxdepth 1 -name 'chromium-*')"
}
# page NAME LEAST COMMAND ...: makes the report NAME.html, to be looked at. LEAST: what it has at least, "charts=1 table=2"
page() {
  local name=$1 least=$2
  shift 2
  it "$name: the report is written"
  run "$@" --quiet --report "$name.html"
  [[ $code -le 1 ]] || wrong "exit status $code: $(head -n 3 err)"
  if [[ -s $name.html ]]; then echo "report $name.html $least" >>plan; else wrong "there is no $name.html"; fi
}

[[ ${BUILD-} == *-san* ]] || echo self >>plan # no code of entrain runs in it
if ! "$ENTRAIN" help fit | grep -q -e '--report'; then
  skip "reports of fits and studies in a browser" "this entrain has no --report"
else
  arctan=$examples/arctan_oscillator/problem.yaml
  page fit "charts=1 table=2" fit "$arctan"
  page fit-dae "charts=1 table=2" fit "$examples/mount_dae/problem.yaml" --method homotopy --confirm off
  page basin "table=1 svg=1" basin "$arctan" --grid 10x8 --method lm
  page compare "table=1" compare "$arctan" --methods homotopy,lm
  page profile "table=1" profile "$arctan"
  page scan "svg=1" scan "$arctan" --over k=1:8:30,psi=0:4:20
  page weights "table=1" weights "$examples/bicycle_weights/grid.yaml"
  page recover "table=1" recover "$arctan" --trials 5
  page check "" check "$examples/mount_dae/problem.yaml"

  # Everything in it that has a name has a hostile one.
  cat >names.mo <<'MODEL'
model Names
  parameter Real '</style><script>window.hacked = 1</script>'(min = 0) = 1;
  parameter Real 'k"><img src=x onerror="window.hacked = 1">'(min = 0) = 2;
  Real 'x<img src=x onerror=window.hacked=1>'(start = 1, fixed = true);
  Real 'y&lt; -->'(start = 1, fixed = true);
equation
  der('x<img src=x onerror=window.hacked=1>') = -'</style><script>window.hacked = 1</script>'*'x<img src=x onerror=window.hacked=1>';
  der('y&lt; -->') = -'k"><img src=x onerror="window.hacked = 1">'*'y&lt; -->';
end Names;
MODEL
  "$ENTRAIN" simulate names.mo --stop 3 --step 0.05 --noise 0.02 --noise_kind additive -o names.csv
  sed -i '1s/.*/time,x,y/' names.csv
  cat >names.yaml <<'MODEL'
model: names.mo
experiments:
  - {name: "שלום <script>window.hacked = 1</script>", data: names.csv, measure: &both {"'x<img src=x onerror=window.hacked=1>'": x, "'y&lt; -->'": y}}
  - {name: "\e[2J \u202e \" ' \x9b </script>", data: names.csv, measure: *both}
estimate:
  "'</style><script>window.hacked = 1</script>'": {start: 0.5, min: 0.01, max: 50}
  "'k\"><img src=x onerror=\"window.hacked = 1\">'": {start: 0.5, min: 0.01, max: 50}
MODEL
  printf '%s\n' '</style><script>window.hacked = 1</script>' 'k"><img src=x onerror="window.hacked = 1">' \
    'x<img src=x onerror=window.hacked=1>' 'y&lt; -->' 'שלום <script>window.hacked = 1</script>' $'\e[2J \u202e " \' \u009b </script>' >texts
  page names "charts=1 table=2" fit names.yaml
  [[ -s names.html ]] && echo "hostile names.html texts" >>plan
fi
if ! "$ENTRAIN" help fit | grep -q -e '--live'; then
  skip "a live page in a browser" "this entrain has no --live"
else
  echo "live '$ENTRAIN' fit endless.yaml --live" >>plan
fi
look
