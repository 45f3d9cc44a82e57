# Shared by the scripts in this folder, which are run by hand: a private PostgreSQL server, and hosts that are network name spaces.
# ENTRAIN: the program (build/entrain). All is made in a folder of its own and removed at the end; KEEP=1 keeps it.
set -eu

say() { printf '%s\n' "$*"; }
fail() {
  say "FAILED: $*" >&2
  exit 1
}

entrain=$(realpath "${ENTRAIN:-$(dirname "$0")/../../build/entrain}")
[ -x "$entrain" ] || fail "there is no program $entrain; build it, or name it by ENTRAIN"
tree=$(realpath "$(dirname "$0")/../..")
folder=$(mktemp -d "${TMPDIR:-/tmp}/entrain-cluster-XXXXXX")
chmod 755 "$folder"
hosts=
bridge=
server=
processes=

# A process that this script started and that it ends at the latest when it ends itself.
note_process() { processes="$processes $1"; }

end_all() {
  status=$?
  set +e
  for process in $processes; do kill "$process" 2>/dev/null; done
  for host in $hosts; do
    # Only what runs in the name space that we made.
    for process in $(ip netns pids "$host" 2>/dev/null); do kill "$process" 2>/dev/null; done
  done
  [ -n "$server" ] && server_call pg_ctl -D "$folder/data" -m immediate stop >/dev/null 2>&1
  sleep 0.3
  for host in $hosts; do ip netns del "$host"; done
  [ -n "$bridge" ] && ip link del "$bridge"
  if [ "${KEEP:-0}" = 1 ]; then say "kept: $folder"; else rm -rf "$folder"; fi
  exit $status
}
trap end_all EXIT
trap 'exit 130' INT TERM

# ---------------------------------------------------------------- a server

programs=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1)

program_path() { if [ -x "$programs/$1" ]; then echo "$programs/$1"; else command -v "$1"; fi; }

# The server refuses root: there it belongs to the user postgres.
server_call() {
  program=$1
  shift
  if [ "$(id -u)" = 0 ]; then
    (cd / && runuser -u postgres -- "$(program_path "$program")" "$@")
  else
    "$(program_path "$program")" "$@"
  fi
}

# server_begin ADDRESS PORT NETWORK: a role and a database "studies", passwords for all but this machine's own socket.
server_begin() {
  [ -n "$programs" ] || fail "PostgreSQL is not installed (Debian: postgresql)"
  address=$1 port=$2 network=$3
  password=$(od -An -N12 -tx1 /dev/urandom | tr -d ' \n')
  mkdir -m 700 "$folder/data" "$folder/socket"
  [ "$(id -u)" != 0 ] || chown postgres "$folder/data" "$folder/socket"
  server_call initdb -D "$folder/data" -U owner --auth-local=trust --auth-host=scram-sha-256 >"$folder/initdb.log"
  cat >>"$folder/data/postgresql.conf" <<END
listen_addresses = '$address'
port = $port
unix_socket_directories = '$folder/socket'
max_connections = ${CONNECTIONS:-100}
password_encryption = 'scram-sha-256'
${SETTINGS:-}
END
  echo "host studies studies $network scram-sha-256" >>"$folder/data/pg_hba.conf"
  server=1
  server_call pg_ctl -D "$folder/data" -l "$folder/data/log" -w start >/dev/null
  server_sql postgres "CREATE ROLE studies LOGIN PASSWORD '$password'"
  server_sql postgres "CREATE DATABASE studies OWNER studies"
  mkdir -p "$folder/home"
  (umask 077 && echo "$address:$port:studies:studies:$password" >"$folder/home/.pgpass")
  export PGPASSFILE="$folder/home/.pgpass"
  store="postgresql://studies@$address:$port/studies"
}

# server_sql DATABASE SQL: as the owner of the server.
server_sql() { server_call psql -h "$folder/socket" -p "$port" -U owner -d "$1" -q -A -t -c "$2"; }
ask() { server_sql studies "$1"; }

# ---------------------------------------------------------------- hosts

# hosts_begin COUNT: name spaces with the addresses 10.99.N.1, ..., and this machine as 10.99.N.254.
hosts_begin() {
  [ "$(id -u)" = 0 ] || fail "network name spaces need root"
  command -v ip >/dev/null || fail "the program ip is not installed (Debian: iproute2)"
  net=$(($$ % 200 + 20))
  network=10.99.$net.0/24
  bridge=ebr$net
  ip link add "$bridge" type bridge
  ip link set "$bridge" up
  ip addr add "10.99.$net.254/24" dev "$bridge"
  n=1
  while [ $n -le "$1" ]; do
    host=e${net}h$n
    ip netns add "$host"
    hosts="$hosts $host"
    ip link add "e${net}v$n" type veth peer name eth0 netns "$host"
    ip link set "e${net}v$n" master "$bridge" up
    ip -n "$host" addr add "10.99.$net.$n/24" dev eth0
    ip -n "$host" link set eth0 up
    ip -n "$host" link set lo up
    n=$((n + 1))
  done
}

host_name() { echo "e${net}h$1"; }
host_cable() { echo "e${net}v$1"; }

# on HOST COMMAND ...: there, with a host name of its own; in a process name space of its own, as another machine would be.
on() {
  host=$1
  shift
  ip netns exec "$(host_name "$host")" unshare -u -p -f --mount-proc --kill-child sh -c 'hostname "$0"; exec "$@"' "pc$host" "$@"
}

# wait_until SECONDS COMMAND ...
wait_until() {
  tries=$((10 * $1))
  shift
  while ! "$@" >/dev/null 2>&1; do
    tries=$((tries - 1))
    [ $tries -gt 0 ] || fail "waited too long for: $*"
    sleep 0.1
  done
}

same_result() { cmp -s "$1" "$2" && say "the same result: $(basename "$1"), $(basename "$2")" || fail "$1 and $2 differ"; }
