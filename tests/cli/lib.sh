# What the tests of the command share. A test is a sentence, a run, and what must hold:
#   it "refuses an unknown flag"
#   run simulate "$models/pendulum.mo" --stpo 1
#   status 2; err "did you mean '--stop'"; no_out
set -u
: "${ENTRAIN:?set it to the command under test}"
models=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../models" && pwd)
work=$(mktemp -d)
cd "$work" || exit 1
number=0 failures=0 title= broken=

finish_test() {
  [[ -n $title ]] || return
  number=$((number + 1))
  if [[ -z $broken ]]; then echo "ok $number - $title"
  else
    failures=$((failures + 1))
    echo "not ok $number - $title"
    printf '%s' "$broken" | sed 's/^/# /'
  fi
}

finish_all() {
  finish_test
  echo "1..$number"
  rm -rf "$work"
  exit $((failures > 0))
}
trap finish_all EXIT

it() { finish_test; title=$1 broken=; }
wrong() { broken+="$1"$'\n'; }
# The address sanitizer warns of fibers, which tell it of their stacks themselves.
run() { "$ENTRAIN" "$@" >out 2>err </dev/null; code=$?; sed -i '/ASan doesn.t fully support makecontext/d' err; }
# interrupt SIGNAL PATTERN ARGUMENT ...: the same with --progress; the signal comes when the progress matches. A shell that
# runs no jobs would let the command ignore SIGINT, so env sets the signals back.
interrupt() {
  local signal=$1 pattern=$2 pid
  shift 2
  : >err
  env --default-signal=INT,TERM "$ENTRAIN" "$@" --progress >out 2>err </dev/null &
  pid=$!
  until grep -q -e "$pattern" err || ! kill -0 $pid 2>/dev/null; do sleep 0.05; done
  kill -s "$signal" $pid
  wait $pid
  code=$?
}
# signal_set PID FIELD: whether SIGTERM is in this set of /proc/PID/status (SigCgt: has a handler; ShdPnd: not yet delivered)
signal_set() { (( 0x$(sed -n "s/^$2:[[:space:]]*//p" "/proc/$1/status" 2>/dev/null || echo 0) & 0x4000 )); }
has_terminal() { command -v script && [[ $(script -qec 'echo here' /dev/null </dev/null 2>&1) == here* ]]; }
skip() { finish_test; title=; number=$((number + 1)); echo "ok $number - $1 # SKIP $2"; }
status() { [[ $code -eq $1 ]] || wrong "exit status $code, expected $1: $(head -n 3 err)"; }
out() { grep -q -e "$1" out || wrong "standard output lacks '$1': $(head -n 5 out)"; }
err() { grep -q -e "$1" err || wrong "standard error lacks '$1': $(head -n 5 err)"; }
no_out() { [[ ! -s out ]] || wrong "standard output is not empty: $(head -n 3 out)"; }
no_err() { [[ ! -s err ]] || wrong "standard error is not empty: $(head -n 3 err)"; }
holds() { "$@" >/dev/null 2>&1 || wrong "does not hold: $*"; }
lines() { [[ $(wc -l <out) -eq $1 ]] || wrong "$(wc -l <out) lines, expected $1"; }

cat >decay.mo <<'END'
model Decay "something that goes away"
  parameter Real k(min = 0) = 1 "rate";
  Real x(start = 1, fixed = true);
  output Real y;
equation
  der(x) = -k*x;
  y = 2*x;
end Decay;
END
