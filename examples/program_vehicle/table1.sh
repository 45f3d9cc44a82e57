#!/bin/sh
# The four methods of the paper on the program, with one worker and with two: examples/program_vehicle/table1.sh [PAUSE]
# Prints the table of README.md. PAUSE: milliseconds that each run sleeps, 50 if not given. ENTRAIN: the command, if it is not in PATH.
pause=${1:-50}
problem=$(dirname "$0")/problem.yaml
methods=implicit-filtering:filter_model=bfgs:label=IFFCO,lmder:label=LMDER,gauss-newton:label=NLSCON,sqp:label=NLSSOL

measure() { # measure WORKERS: a line for each method: name, evaluations, objective, seconds
  "${ENTRAIN:-entrain}" compare "$problem" -j "$1" --set "model.parameters.pause=$pause" --methods "$methods" --format csv |
    awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
              { print $at["method"], $at["evaluations"], $at["objective"], $at["seconds"] }'
}

one=$(measure 1) && two=$(measure 2) || exit 1
printf '%s\n%s\n' "$one" "$two" | awk '
  BEGIN { print "| algorithm | r(p*) | n | t_seq | t_par | t_seq/t_par |\n| --- | --- | --- | --- | --- | --- |" }
  !($1 in seconds) { seconds[$1] = $4; next }
  { printf "| %s | %.1f | %d | %.1f | %.1f | %.2f |\n", $1, $3, $2, seconds[$1], $4, seconds[$1] / $4 }'
