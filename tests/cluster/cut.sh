#!/bin/sh
# The cable of a PC whose study runs is cut for some seconds: tests/cluster/cut.sh. Needs root, iproute2, postgresql.
# The leader says so within 10 s, keeps what it has, goes on when the cable is back, and has the result of a study without a store.
. "$(dirname "$0")/lib.sh"
hosts_begin 1
server_begin "10.99.$net.254" 25995 "$network"
cd "$folder"
study="$entrain basin $tree/examples/arctan_oscillator/problem.yaml --random 300 --method lm --lanes off -j 1 -q"
$study --csv alone.csv
on 1 $study --csv cut.csv --store "$store" 2>leader.txt &
runs_done() { [ "$(ask "SELECT coalesce(max(done), 0) FROM item")" -ge 20 ]; }
wait_until 30 runs_done
ip link set "$(host_cable 1)" down
told() { [ -s leader.txt ]; }
wait_until 10 told
kept=$(ask "SELECT max(done) FROM item")
[ "$kept" -lt 300 ] || fail "the study was done before the cut"
ip link set "$(host_cable 1)" up
wait
cat leader.txt
same_result alone.csv cut.csv
[ "$(ask "SELECT sum(repeated) FROM worker")" -le 100 ] || fail "too much was computed again"
