#!/bin/bash
# Without memory a command ends with status 3 and a message, or with the right result: never by a signal, never with half a
# file. One request for memory fails, or it and all later ones. KS="1 2 3 ..." chooses which; by default a sample.
source "$(dirname "$0")/lib.sh"
source "$(dirname "$0")/problem.sh"


if [[ $BUILD == *-san* ]] || ! ${CC:-cc} -O1 -shared -fPIC -o fail.so "$(dirname "$0")/fail_alloc.c" 2>log; then
  skip "ends with status 3 when a request for memory fails" "no preloading here: sanitizers, or no compiler"
  exit 0
fi

# sample MOST: some numbers of requests, dense at first
sample() { awk -v most="$1" 'BEGIN { for (k = 1; k <= most; k = k < 8 ? k + 1 : int(k*1.45) + 1) print k }'; }

# without_times FILE: what must be the same in every run
without_times() { sed -E 's/"(seconds|time)": [-+.e0-9]+/"\1": 0/g' "$1"; }

# attempt NAME K ALL COMMAND ...: one run; its files are o.json or o.csv
attempt() {
  local name=$1 k=$2 all=$3
  shift 3
  rm -rf try && mkdir try
  timeout 120 env FAIL_AT=$k FAIL_ALL=$all LD_PRELOAD=./fail.so "$ENTRAIN" "$@" >try.out 2>try.err </dev/null
  code=$?
  local left=$(ls -A try)
  case $code in
  3) grep -q '^entrain: error: out of memory' try.err || wrong "$name, request $k (all: $all): no message: $(head -n 2 try.err)" ;;
  0) cmp -s try.out "$name.out" || wrong "$name, request $k (all: $all): another report" ;;
  *) wrong "$name, request $k (all: $all): exit status $code: $(head -n 2 try.err)" ;;
  esac
  for f in $left; do
    [[ $f == result ]] || wrong "$name, request $k (all: $all): leaves $f"
    cmp -s <(without_times try/$f) <(without_times "$name.file") || wrong "$name, request $k (all: $all): $f is not complete"
  done
  [[ $code -ne 0 || ! -e $name.file || -e try/result ]] || wrong "$name, request $k (all: $all): status 0 without its file"
  ended[$code]=$((${ended[$code]:-0} + 1))
}

# sweep NAME COMMAND ...: a run with memory, then all of them
sweep() {
  local name=$1 k all most
  shift
  declare -A ended=()
  mkdir -p try && rm -f try/result
  FAIL_COUNT=count LD_PRELOAD=./fail.so "$ENTRAIN" "$@" >"$name.out" 2>err </dev/null
  code=$?
  status 0
  [[ -e try/result ]] && cp try/result "$name.file"
  most=$(cat count)
  for all in 0 1; do
    for k in ${KS:-$(sample $((most < 1000 ? most : 1000)))}; do attempt "$name" "$k" $all "$@"; done
  done
  [[ ${ended[3]:-0} -gt 0 ]] || wrong "nothing failed"
  echo "# $name: $most requests; $(for c in "${!ended[@]}"; do echo -n "status $c ${ended[$c]} times; "; done)"
}

it "info ends with status 3 or the right report"
sweep info info decay.mo
it "simulate ends with status 3 or the right result"
sweep simulate simulate decay.mo --stop 1 --sensitivities k -o try/result
it "simulate with the solvers of SUNDIALS ends with status 3 or the right result"
sweep bdf simulate "$models/pollution.mo" --stop 1 --solver bdf -o try/result
it "fit ends with status 3 or the right result"
sweep fit fit decay.yaml --quiet --json try/result
it "basin ends with status 3 or the right result"
sweep basin basin decay.yaml --random 4 --quiet --csv try/result
