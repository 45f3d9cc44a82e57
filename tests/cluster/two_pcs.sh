#!/bin/sh
# Two PCs and a server: tests/cluster/two_pcs.sh. Needs root, iproute2, openssh-server, postgresql.
# A study is begun on the first PC, a worker is started on the second by ssh, with a password from PGPASSFILE. The result must
# be that of one process. Then the second PC loses its network, the leader is killed, the server restarts.
. "$(dirname "$0")/lib.sh"

hosts_begin 2
server_begin "10.99.$net.254" 25999 "$network"
mkdir -p /run/sshd
ssh-keygen -q -t ed25519 -N '' -f "$folder/hostkey"
ssh-keygen -q -t ed25519 -N '' -f "$folder/key"
cp "$folder/key.pub" "$folder/keys"
for n in 1 2; do
  on $n /usr/sbin/sshd -D -f /dev/null -h "$folder/hostkey" -p 2222 -o AuthorizedKeysFile="$folder/keys" -o StrictModes=no \
    -o UsePAM=no -o ListenAddress="10.99.$net.$n" -o PidFile=none 2>"$folder/sshd$n.log" &
done
login() { # login PC COMMAND ...
  pc=$1
  shift
  ssh -q -p 2222 -i "$folder/key" -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null "10.99.$net.$pc" \
    "PGPASSFILE=$PGPASSFILE $*"
}
wait_until 10 login 1 true
wait_until 10 login 2 true
cp -r "$tree/examples/arctan_oscillator" "$folder/"
cd "$folder"

# study STARTS FILE FLAG ...: the command of the study
study() {
  starts=$1 file=$2
  shift 2
  echo "$entrain basin $folder/arctan_oscillator/problem.yaml --random $starts --method lm --lanes off -j 1 --csv $folder/$file -q $*"
}
done_by() { ask "SELECT host, done, repeated FROM worker ORDER BY id"; }
forget() { PGOPTIONS='-c client_min_messages=warning' ask "DROP SCHEMA public CASCADE; CREATE SCHEMA public AUTHORIZATION studies"; }
runs_done() { [ "$(ask "SELECT coalesce(max(done), 0) FROM item")" -ge "$1" ]; }

say "1. without a store"
$(study 600 alone.csv)

say "2. begun on PC 1, a worker on PC 2 started by ssh"
login 2 "$entrain work $store -j 1 --idle 3" 2>worker.txt &
worker=$!
login 1 "$(study 600 two.csv --store "$store")"
wait $worker
cat worker.txt
done_by
same_result alone.csv two.csv

say "3. the network of PC 2 fails until the study is done"
forget
login 2 "$entrain work $store -j 1 --idle 3" 2>worker.txt &
worker=$!
login 1 "$(study 600 cut.csv --store "$store")" &
leader=$!
wait_until 30 runs_done 100
ip link set "$(host_cable 2)" down
began=$(date +%s)
wait $leader
say "done $(($(date +%s) - began)) s after the cut"
same_result alone.csv cut.csv
ip link set "$(host_cable 2)" up
wait $worker || say "ssh or worker ended with status $?"
cat worker.txt
done_by

say "4. the leader is killed: the worker carries the study on; the same command gives its result"
forget
login 2 "$entrain work $store -j 1 --idle 5" 2>worker.txt &
worker=$!
login 1 "$(study 600 killed.csv --store "$store")" &
leader=$!
wait_until 30 runs_done 100
on_pc1=$(pgrep -f "$folder/arctan_oscillator/problem.yaml.*killed.csv" | tail -n 1)
kill -KILL "$on_pc1"
began=$(date +%s)
wait $leader || say "the leader ended with status $?"
finished() { [ "$(ask "SELECT min(state) FROM study")" = 1 ]; }
wait_until 60 finished
say "done $(($(date +%s) - began)) s after the death"
login 1 "$(study 600 killed.csv --store "$store")"
wait $worker
cat worker.txt
done_by
same_result alone.csv killed.csv

say "5. the server is killed and starts again"
forget
login 2 "$entrain work $store -j 1 --idle 5" 2>worker.txt &
worker=$!
login 1 "$(study 600 restart.csv --store "$store")" 2>leader.txt &
leader=$!
wait_until 30 runs_done 100
server_call pg_ctl -D "$folder/data" -m immediate stop >/dev/null
sleep 3
server_call pg_ctl -D "$folder/data" -l "$folder/data/log" -w start >/dev/null
wait $leader
wait $worker
cat leader.txt worker.txt
done_by
same_result alone.csv restart.csv
say "all as expected"
