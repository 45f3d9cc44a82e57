# --live: a page that follows a fit or study, and becomes its report.
source "$(dirname "$0")/lib.sh"
source "$models/../tests/cli/problem.sh"
if ! command -v python3 >/dev/null; then skip "pages that follow a fit" "no python3"; exit 0; fi
[[ $ENTRAIN == *-san* ]] && { skip "pages that follow a fit" "unit tests of the server run with sanitizers"; exit 0; }

cat >client.py <<'END'
"""client.py ask METHOD ADDRESS [HEADER:VALUE ...]: prints the status.  wish ADDRESS WORD: the same for a button of the page.
follow ADDRESS EVENTS [COUNT]: writes one line {"event", "at", "data"} for each event, until the stream ends or so many states have come.
page ADDRESS: prints the page."""
import http.client, json, sys, time, urllib.parse

def ask(method, address, headers):
    u = urllib.parse.urlsplit(address)
    c = http.client.HTTPConnection(u.hostname, u.port, timeout=60)
    c.putrequest(method, u.path, skip_host="Host" in headers)
    for name, value in headers.items(): c.putheader(name, value)
    if method == "POST": c.putheader("Content-Length", "0")
    c.endheaders()
    return c.getresponse()

def follow(address, path, most):
    states, name, begin = 0, None, time.time()
    with open(path, "w") as out:
        stream = ask("GET", address + "events", {})
        for line in stream:
            line = line.decode().rstrip("\n")
            if line.startswith("event: "): name = line[7:]
            if line.startswith("data: "):
                print(json.dumps({"event": name, "at": time.time() - begin, "data": json.loads(line[6:])}), file=out, flush=True)
                states += name == "state"
            if states == most or name == "done" and line == "": return

what, words = sys.argv[1], sys.argv[2:]
if what == "ask": print(ask(words[0], words[1], dict(w.split(":", 1) for w in words[2:])).status)
if what == "wish": print(ask("POST", words[0] + words[1], {"X-Entrain-Token": words[0].split("/")[3], "Origin": words[0][:words[0].index("/", 7)]}).status)
if what == "follow": follow(words[0], words[1], int(words[2]) if len(words) > 2 else -1)
if what == "page": sys.stdout.write(ask("GET", words[0], {}).read().decode())
END
cat >same.py <<'END'
import json, sys
def bare(x):
    if isinstance(x, dict): return {k: bare(v) for k, v in x.items() if "seconds" not in k}
    return [bare(v) for v in x] if isinstance(x, list) else x
sys.exit(bare(json.load(open(sys.argv[1]))) != bare(json.load(open(sys.argv[2]))))
END
# events FILE EXPRESSION: what Python says about the lists of data e["state"], e["rows"], ... and their times t
events() {
  holds python3 -c "
import json, sys, collections
e, t = collections.defaultdict(list), collections.defaultdict(list)
for line in open('$1'):
    x = json.loads(line); e[x['event']].append(x['data']); t[x['event']].append(x['at'])
sys.exit(not ($2))"
}

begin() { # begin ARGUMENT ...: the command with --live, in the background; its address
  : >live.err
  env --default-signal=INT,TERM "$ENTRAIN" "$@" --live >live.out 2>live.err </dev/null &
  pid=$!
  until grep -q 'follow it at' live.err || ! kill -0 $pid 2>/dev/null; do sleep 0.02; done
  address=$(sed -n 's/.*follow it at //p' live.err)
}
end() { wait $pid; code=$?; mv live.out out; sed '/ASan doesn.t fully support makecontext/d' live.err >err; }
client() { python3 client.py "$@"; }
wish() { local got; got=$(client wish "$address" "$1"); [[ $got == "${2:-204}" ]] || wrong "the wish $1 gave $got"; }
cpu() { awk '{ print $14 + $15 }' "/proc/$pid/stat"; } # ticks

long=(fit endless.yaml -j 1 --method 'multistart(lm,3000)') # about 5 s
short=(fit endless.yaml -j 2 --method 'multistart(lm,600)')
endless=(fit endless.yaml --method 'multistart(lm,300000)')
it "a fit can be followed, and has the same result"
run "${long[@]}" --json alone.json -q; before=$code
begin "${long[@]}" --json live.json -q
client follow "$address" events.txt; client page "$address" >page.html
end; status $before; holds python3 same.py alone.json live.json
holds test "$(wc -l <err)" = 1; holds grep -q '^entrain: follow it at http://127.0.0.1:[0-9]*/[0-9a-f]\{32\}/$' err
events events.txt 'e["about"] and e["about"][0]["kind"] == "fit" and [u["name"] for u in e["about"][0]["unknowns"]] == ["a", "b"]'
events events.txt 'len(e["state"]) >= 4 and len(e["state"]) <= 4*t["state"][-1] + 3'
events events.txt 'all(a["step"] <= b["step"] and a["simulations"] <= b["simulations"] for a, b in zip(e["state"], e["state"][1:]))'
events events.txt 'len(e["data"]) == 1 and len(e["data"][0]["channels"][0]["t"]) == 401'
events events.txt 'e["curves"] and all(c["model"][0] is None or len(c["model"][0]) == 401 for c in e["curves"])'
events events.txt 'e["rows"] and e["rows"][0]["anew"] and all(len(r) == 6 for x in e["rows"] for r in x["rows"])'
events events.txt 'len(e["done"]) == 1 and list(e)[-1] == "done"'
it "the page becomes the report"
holds grep -q 'class="verdict"' page.html; holds grep -q 'Parameters' page.html

it "a client that is killed disturbs nothing"
run "${short[@]}" --json alone.json -q; before=$code
begin "${short[@]}" --json live.json -q
client follow "$address" killed.txt & follower=$!
until grep -q state killed.txt 2>/dev/null || ! kill -0 $pid 2>/dev/null; do sleep 0.02; done
kill -KILL $follower; wait $follower 2>/dev/null
end; status $before; holds python3 same.py alone.json live.json

it "only a POST with the token stops it, with the best point so far"
begin "${endless[@]}" --json stop.json
client follow "$address" events.txt 3
for path in stop pause take; do
  [[ $(client ask GET "$address$path") == 405 ]] || wrong "GET $path"
  [[ $(client ask POST "$address$path") == 403 ]] || wrong "POST $path without a token"
done
root=${address%/*/} token=${address%/}
[[ $token == *0 ]] && other=${token%?}1/ || other=${token%?}0/ # another last digit
for words in "GET $root/" "GET $root/events" "POST $root/stop" "GET $other" "GET $address Host:example.org" "GET $address Origin:http://example.org" \
  "GET $address Host:127.0.0.1.example.org" "POST ${address}stop Origin:http://example.org"; do
  [[ $(client ask $words) == 40[34] ]] || wrong "$words"
done
[[ $(client ask GET "$address" Host:localhost:4321) == 200 ]] || wrong "a forwarded port"
holds kill -0 $pid
wish stop; end
status 1; err "stopped by its page"; out "Stopped by the user"; json stop.json 'd["outcome"] == "stopped" and d["objective"] > 0'
it "the best point can be taken, with statistics"
begin "${endless[@]}" --json take.json
client follow "$address" events.txt 3; wish take; end
status 1; out "Stopped by the user"; grep -q "no time" out && wrong "there was time"; json take.json 'd["outcome"] == "stopped" and d["missing"] == [] and d["certificate"]["noise"]["ratio"] > 0'

it "a pause makes all threads wait, and does not count in max_seconds"
begin "${endless[@]}" -j 2 --max_seconds 6 --json pause.json
client follow "$address" events.txt 1; wish pause; sleep 0.5
first=$(cpu); sleep 3; last=$(cpu)
[[ $((last - first)) -le 10 ]] || wrong "$((last - first)) ticks of CPU time in a pause"
holds kill -0 $pid; wish pause 409
client follow "$address" events.txt 2; events events.txt 'e["state"][-1]["wish"] == "pause" and e["state"][-1]["seconds"] < 6'
wish resume; end; status 1; json pause.json 'd["outcome"] == "budget"'
it "Ctrl-C and SIGTERM end a pause"
for signal in INT TERM; do
  begin "${endless[@]}" --json pause.json
  client follow "$address" events.txt 2; wish pause; sleep 0.3
  began=$(date +%s%N); kill -s $signal $pid; end; took=$((($(date +%s%N) - began)/1000000))
  status 1; err "stopped by a signal"; out "Stopped by the user"; json pause.json 'd["outcome"] == "stopped"'
  [[ $took -lt 2000 ]] || wrong "it took $took ms"
done

it "studies are followed, too"
begin basin endless.yaml --random 100000 --method lm --json basin.json -q
client follow "$address" events.txt 8; wish take 409; wish stop; end
status 1; json basin.json 'd is not None'
events events.txt 'e["about"][0]["kind"] == "runs" and e["state"][-1]["runs"]["total"] == 100000 and e["state"][-1]["runs"]["done"] > 0'
events events.txt 'not e["curves"] and not e["data"]'
begin compare endless.yaml --methods 'multistart(lm,300000)' -q
client follow "$address" events.txt 8; wish stop; end; status 1
events events.txt 'e["about"][0]["kind"] == "steps" and e["state"][-1]["stage"].startswith("multistart") and e["state"][-1]["runs"]["total"] == 1'
begin recover endless.yaml --trials 100000 --method lm --max_simulations 300 -q
client follow "$address" events.txt 4; wish stop; end; status 1
events events.txt 'e["state"][-1]["runs"]["total"] == 100000'
begin profile decay.yaml; end; status 0; out "k"

it "in a store: a fit that its page stops goes on later, to the same result"
stored=(fit endless.yaml -j 2 --method 'multistart(lm,1500)')
run "${stored[@]}" --json alone.json -q; before=$code
begin "${stored[@]}" --json live.json -q --store live.db
client follow "$address" events.txt 1; wish stop; end; status 1
run show live.db; out "open"
run "${stored[@]}" --json live.json -q --store live.db; status $before; holds python3 same.py alone.json live.json
run show live.db; out "done"
begin resume live.db --json again.json -q; end; status $before; holds python3 same.py alone.json again.json
it "workers have no page"
begin basin endless.yaml --random 400 --method lm -q --store work.db --max_simulations 1000; client follow "$address" events.txt
end; run show work.db; out "done"; run show work.db --json -; holds test "$(grep -c live out)" = 0

it "ports: one that is given, one that is taken, none"
begin "${endless[@]}" -q; port=${address#*127.0.0.1:}; port=${port%%/*}
run fit decay.yaml --live --live_port "$port"; status 2; err "port $port on 127.0.0.1 is used by another program"; no_out
wish stop; end; status 1
begin fit decay.yaml -q --live_port "$port"; end; status 0; err "127.0.0.1:$port/"
for port in 0 65536 x 1e3 -5; do run fit decay.yaml --live --live_port=$port; status 2; err "from 1 to 65535, not $port"; done
run fit decay.yaml --live_port 8080; status 2; err "goes with --live"
it "without the library it says so"
mkdir -p none; : >none/libmicrohttpd.so.12
LD_LIBRARY_PATH=$PWD/none run fit decay.yaml --live; status 2; err "needs the library libmicrohttpd.so.12"; no_out
LD_LIBRARY_PATH=$PWD/none run fit decay.yaml; status 0
it "a problem on standard input is followed"
"$ENTRAIN" fit - --live -q <decay.yaml 2>err; code=$?; status 0; err "follow it at"
