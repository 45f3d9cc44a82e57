#!/bin/sh
# The parallel study of the paper with workers on other machines: examples/program_vehicle/table1_workers.sh [PART]
#
# Prints table 1: each method alone on the client, and with workers. PCs are network name spaces on this machine, the store is a
# PostgreSQL server of its own. The program is the car with 56 states (../vehicles/cars.mo), a run of which takes PART of the seconds of the paper,
# most of them asleep: 0.1 if not given. Takes about six minutes. Needs root (name spaces), iproute2, postgresql.
# ENTRAIN: the program, build/entrain if not given.
here=$(dirname "$(realpath "$0")")
: "${ENTRAIN:=$here/../../build/entrain}"
. "$here/../../tests/cluster/lib.sh"
[ "$(id -u)" = 0 ] || fail "this makes network name spaces, which needs root"
part=${1:-0.1}

# Seconds of a run, as the paper says: the client, a Dell with 400 MHz; then two Siemens with 450 MHz, two Dell notebooks with
# 333 MHz; for IFFCO also a Dell notebook with 300 MHz, two Siemens with 300 and 266 MHz.
client=6.1
workers="5.5 5.5 6.5 6.5 8.2 7.3 8.8"
seconds() { awk -v s="$1" -v part="$part" 'BEGIN { printf "%.3f", s*part }'; }

# The simulator: a folder that each PC has of its own.
mkdir "$folder/car"
cd "$folder/car"
cp "$here/../vehicles/cars.mo" .
cp "$here/../vehicle56/c1.csv" .
seq -s, 21.6 0.006 24.6 >times
cat >car <<'END'
#!/bin/sh
# car RUN.in: simulates the car; a run takes CAR_SECONDS, or longer if this computer is slower.
sleep "${CAR_SECONDS:-0}" &
. "./$1"
"$CAR_ENTRAIN" simulate cars.mo#Cars.Car56 --set "pmax=30,mu[1]=$mu1,mu[2]=$mu2,mu[3]=$mu3,mu[4]=$mu4" --times @times \
  --variables 'corner[1].om,corner[2].om,corner[3].om,corner[4].om' -o result.csv || exit 1
wait
END
chmod +x car
for k in 1 2 3 4; do echo "mu$k={{mu$k}}"; done >run.in.template
cat >problem.yaml <<'END'
model:
  command: [./car, run.in]
  files: {run.in: run.in.template}
  link: [cars.mo, times]
  parameters:
    mu1: {value: 0.33, min: 0.05, max: 0.5}
    mu2: {value: 0.33, min: 0.05, max: 0.5}
    mu3: {value: 0.34, min: 0.05, max: 0.5}
    mu4: {value: 0.34, min: 0.05, max: 0.5}
  output: {file: result.csv, time: time}
  timeout: 60
experiments:
  - data: c1.csv
    measure: {"corner[1].om": om1, "corner[2].om": om2, "corner[3].om": om3, "corner[4].om": om4}
estimate: [mu1, mu2, mu3, mu4]
END
cd "$folder"
for n in 1 2 3 4 5 6 7; do cp -r car "pc$n"; done

hosts_begin 7
server_begin "10.99.$net.254" 25997 "$network"
export CAR_ENTRAIN="$entrain"

measure() { # measure METHOD FLAG ...: evaluations, objective, seconds, of one method on the client
  method=$1
  shift
  CAR_SECONDS=$(seconds $client) "$entrain" compare car/problem.yaml -j 1 --methods "$method" --format csv "$@" |
    awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["evaluations"], $at["objective"], $at["seconds"] }'
}
on_hosts() { for host in $hosts; do ip netns pids "$host"; done; }
is_empty() { [ -z "$(on_hosts)" ]; }
start_workers() { # start_workers COUNT
  n=0
  for speed in $workers; do
    [ $n -lt "$1" ] || break
    n=$((n + 1))
    on $n env CAR_SECONDS="$(seconds "$speed")" "$entrain" work "$store" -j 1 --simulators "$folder/pc$n" -q 2>"work$n.txt" &
  done
  are_there() { [ "$(ask "SELECT count(*) FROM worker WHERE gone = 0")" = "$n" ]; }
  wait_until 20 are_there
}
stop_workers() { # all that runs on the hosts: nobody may help the next method
  for process in $(on_hosts); do kill "$process" 2>/dev/null || true; done
  wait_until 20 is_empty
  wait
}

echo "| algorithm | r(p*) | n | t_seq | by the client | t_par | t_seq/t_par | published: r(p*) | n | t_seq | by the client | t_par | t_seq/t_par |"
echo "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
row() { # row COUNT METHOD NAME PUBLISHED: COUNT workers beside the client
  count=$1 method=$2 name=$3 published=$4
  alone=$(measure "$method")
  PGOPTIONS='-c client_min_messages=warning' ask "DROP SCHEMA public CASCADE; CREATE SCHEMA public AUTHORIZATION studies"
  start_workers "$count"
  together=$(measure "$method" --store "$store" 2>lead.txt)
  [ "$(ask "SELECT count(*) FROM worker")" = $((count + 1)) ] || fail "not $count workers and the client took part"
  [ "$(ask "SELECT sum(done) FROM worker")" = "$(ask "SELECT count(*) FROM job")" ] || fail "somebody else computed runs"
  others=$(ask "SELECT sum(done) FROM worker WHERE host LIKE 'pc%'")
  shares=$(ask "SELECT string_agg(host || ' ' || done || CASE WHEN repeated > 0 THEN ' (+' || repeated || ')' ELSE '' END, ', ' ORDER BY host) FROM worker")
  stop_workers
  echo "$alone $together" | awk -v name="$name" -v others="$others" -v published="$published" '{
    if ($1 != $4 || $2 != $5) print "the results differ: " $0 >"/dev/stderr"
    printf "| %s | %.1f | %d | %.1f | %d | %.1f | %.2f | %s |\n", name, $2, $1, $3, $4 - others, $6, $3/$6, published }'
  say "$name: $shares" >>shares.txt
  cat lead.txt >&2
}
row 7 implicit-filtering IFFCO "2603.2 | 204 | 1252.1 | 64 | 445.6 | 2.81"
row 4 lmder:derivatives=forward:fd_step=1e-4 LMDER "2613.5 | 55 | 338.5 | 19 | 122.7 | 2.76"
row 4 gauss-newton:derivatives=forward:fd_step=1e-4 NLSCON "2612.7 | 68 | 416.9 | 24 | 156.7 | 2.66"
row 4 sqp:derivatives=forward:fd_step=1e-4 NLSSOL "2607.9 | 115 | 704.4 | 23 | 152.3 | 4.63"
say
say "runs by worker"
cat shares.txt
