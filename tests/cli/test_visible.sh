#!/bin/bash
# Control characters of names, texts, files and arguments never reach the terminal as they are.
source "$(dirname "$0")/lib.sh"
source "$(dirname "$0")/problem.sh"

# nothing_acts: no control character but line ends and tabs, none of two bytes, none that changes the direction
nothing_acts() { ! LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]|\xe2\x81[\xa6-\xa9]' "$@"; }
# quiet ARGUMENT ...: runs; both outputs must be so
quiet() { run "$@"; nothing_acts out err || wrong "$(printf '%q ' "$@"): $(LC_ALL=C cat -v out err | head -n 3)"; }

for name in escape csi direction return; do
  case $name in
  escape) raw=$'\e[2J' yaml='\e[2J' shown='\\x1b\[2J' ;;
  csi) raw=$'\u009b2J' yaml='\x9b2J' shown='\\u009b2J' ;;
  direction) raw=$'\u202e' yaml='\u202e' shown='\\u202e' ;;
  return) raw=$'\r' yaml='\r' shown='\\x0d' ;;
  esac
  it "shows descriptions of a model: $name"
  printf 'model A "a%s"\n  parameter Real k = 1 "k%s";\n  Real x(start = 1, fixed = true, unit = "%s") "x%s";\nequation\n  der(x) = -k*x "e%s";\nend A;\n' "$raw" "$raw" "$raw" "$raw" "$raw" >a.mo
  for what in '' --flat --equations --json --dot; do quiet info a.mo $what; status 0; done
  quiet info a.mo; out "a$shown"
  quiet simulate a.mo --stop 1 --plot

  it "shows wrong texts of a model: $name"
  printf 'model A\n  Real x; // %s\nequation\n  x = z; // %s\nend A;\n' "$raw" "$raw" >b.mo
  quiet info b.mo; status 2
  printf 'model A\n  Real %s = 1;\nend A;\n' "$raw" >b.mo
  quiet info b.mo; status 2

  it "shows arguments: $name"
  for a in "info no$raw.mo" "$raw" "info decay.mo --$raw" "simulate decay.mo --set k$raw=3" "simulate decay.mo --set k=3$raw" \
    "simulate decay.mo --variables $raw" "simulate decay.mo --rel_tol 1$raw" "simulate decay.mo --stop 1$raw" \
    "simulate decay.mo --inputs $raw" "simulate decay.mo --stop 1 -o no/$raw" "help $raw" "fit $raw" "fit decay.yaml --method $raw" \
    "fit decay.yaml --start $raw=1" "check decay.yaml --set estimate.$raw=1" "check decay.yaml --set estimate.k.start=1$raw" \
    "check decay.yaml --set $raw=1"; do
    IFS=' ' read -r -d '' -a words <<<"$a"
    words[-1]=${words[-1]%$'\n'}
    quiet "${words[@]}"
    [[ $name == return ]] || status 2 # a return behind a number is a blank
  done

  it "shows names of files, experiments and columns: $name"
  mkdir -p "dir$raw"
  sed "1s/x/\"x$raw\"/" decay.csv >"dir$raw/d.csv"
  cat >"dir$raw/p.yaml" <<END
model: ../decay.mo
experiments:
  - {name: "one$yaml", data: d.csv, measure: {x: "x$yaml"}}
  - {name: "two$yaml", data: d.csv, measure: {x: "x$yaml"}}
estimate: {k: {start: 0.5, min: 0.01, max: 50}}
END
  for command in check fit 'fit --json -' 'fit --residuals -' 'fit --progress' 'basin --random 3' 'basin --random 3 --svg -' \
    'profile' 'compare --methods lm' 'recover --trials 2'; do
    read -r first rest <<<"$command"
    quiet "$first" "dir$raw/p.yaml" $rest
    [[ $code -le 1 ]] || wrong "$command: exit status $code: $(head -n 2 err)"
  done
  run fit "dir$raw/p.yaml"; out "one$shown"
  sed -i "s/k: {start/\"k$yaml\": {start/" "dir$raw/p.yaml"
  quiet check "dir$raw/p.yaml"; status 2
done
