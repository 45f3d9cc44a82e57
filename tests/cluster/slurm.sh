#!/bin/sh
# Workers as tasks of Slurm: tests/cluster/slurm.sh. Needs root, slurm-wlm, munge, postgresql; no Slurm may run on this machine.
# A cluster of this one machine is started with settings of its own. Workers by srun, by a job array with sbatch, scancel.
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" = 0 ] || fail "slurmctld, slurmd and munged are started as root"
for program in slurmctld slurmd munged srun sbatch scancel; do
  command -v $program >/dev/null || fail "there is no $program (Debian: slurm-wlm munge)"
done
server_begin 127.0.0.1 25998 127.0.0.1/32

export SLURM_CONF="$folder/slurm.conf"
mkdir -p "$folder/state" "$folder/spool"
install -d -o munge -g munge /run/munge
pgrep -x munged >/dev/null || { runuser -u munge -- munged && note_process "$(pgrep -x munged)"; }
host=$(hostname -s)
cat >"$SLURM_CONF" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/c.pid
SlurmdPidFile=$folder/d.pid
SlurmctldLogFile=$folder/c.log
SlurmdLogFile=$folder/d.log
SlurmctldPort=16817
SlurmdPort=16818
SlurmdParameters=config_overrides
SchedulerParameters=sched_min_interval=0,batch_sched_delay=0,sched_interval=1
NodeName=$host NodeAddr=127.0.0.1 CPUs=4 CoresPerSocket=4 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
slurmctld
slurmd
have_started() { [ -s "$folder/c.pid" ] && [ -s "$folder/d.pid" ]; }
wait_until 10 have_started
note_process "$(cat "$folder/c.pid")"
note_process "$(cat "$folder/d.pid")"
is_idle() { [ "$(sinfo -h -o %T)" = idle ]; }
wait_until 30 is_idle
cp -r "$tree/examples/arctan_oscillator" "$folder/"
cd "$folder"

study() { # study FILE FLAG ...
  file=$1
  shift
  "$entrain" basin arctan_oscillator/problem.yaml --random 600 --method lm --lanes off -j 1 --csv "$file" -q "$@"
}
done_by() { ask "SELECT id, done, repeated, gone FROM worker ORDER BY id"; }
forget() { PGOPTIONS='-c client_min_messages=warning' ask "DROP SCHEMA public CASCADE; CREATE SCHEMA public AUTHORIZATION studies"; }
runs_done() { [ "$(ask "SELECT coalesce(max(done), 0) FROM item")" -ge "$1" ]; }
no_jobs() { [ -z "$(squeue -h)" ]; }

say "1. without a store"
study alone.csv

say "2. srun -n 4 entrain work"
srun -n 4 "$entrain" work "$store" -j 1 --idle 3 2>srun.txt &
tasks=$!
study srun.csv --store "$store"
wait $tasks
cat srun.txt
done_by
same_result alone.csv srun.csv

say "3. a job array, all in a batch: workers, and the study"
forget
cat >work.sbatch <<END
#!/bin/sh
#SBATCH --array=1-3
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --time=10
exec $entrain work $store -j 1 --idle 5
END
sbatch --parsable -o 'work-%a.txt' work.sbatch
study array.csv --store "$store"
squeue
wait_until 60 no_jobs
cat work-1.txt work-2.txt work-3.txt
done_by
same_result alone.csv array.csv

say "4. scancel in the middle: SIGTERM; the workers give back what they had"
forget
job=$(sbatch --parsable -o 'cancel-%a.txt' work.sbatch)
study cancel.csv --store "$store" &
leader=$!
wait_until 60 runs_done 100
has_all() { [ "$(ask "SELECT count(*) FROM worker WHERE gone = 0")" = 4 ]; }
wait_until 30 has_all
scancel "$job"
began=$(date +%s%N)
gave_back() { [ "$(ask "SELECT count(*) FROM worker WHERE gone = 0")" = 1 ]; }
wait_until 10 gave_back
say "all workers said goodbye $((($(date +%s%N) - began) / 1000000)) ms after scancel"
say "tries that count: $(ask "SELECT coalesce(max(tries), 0) FROM claim")"
wait $leader
cat cancel-1.txt
done_by
same_result alone.csv cancel.csv
if [ "${LONG:-0}" = 1 ]; then
  say "5. the time limit of a job: SIGTERM, too"
  forget
  sbatch --parsable --time=1 -o 'limit-%a.txt' work.sbatch
  began=$(date +%s)
  "$entrain" basin arctan_oscillator/problem.yaml --random 12000 --method lm --lanes off -j 1 -q --store "$store" &
  leader=$!
  note_process $leader
  wait_until 60 has_all
  wait_until 150 gave_back
  say "the limit came after $(($(date +%s) - began)) s; tries that count: $(ask "SELECT coalesce(max(tries), 0) FROM claim")"
  cat limit-1.txt
  kill $leader
  wait $leader || say "the study was interrupted by SIGTERM, with status $?; $(ask "SELECT done FROM item ORDER BY done DESC LIMIT 1") runs are done"
fi
say "all as expected"
