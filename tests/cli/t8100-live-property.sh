#!/usr/bin/env bash
# Properties while the program runs: the line comes in time, the report is the one that `check' makes,
# an observer behind a proxy that shuffles messages across threads says the same, and the process
# beside does not grow with the run.  With LONG, 10 million writes.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

here=$SRC/tests/programs
${CC:-cc} -O1 -o flatten "$SRC/tests/cli/flatten.c" && ${CC:-cc} -O1 -c -o order.o "$here/order.c" &&
	${CC:-cc} -O1 -D_GNU_SOURCE -o shuffle "$SRC/tests/link/shuffle.c" || exit 2
for p in landing steady; do
	foresee-cc -g -O1 -pthread -o $p "$here/live/$p.c" || exit 2
done
export FORESEE_TOKEN=of-the-test
observer= proxy=
trap 'kill -KILL $observer $proxy 2>/dev/null; cd / && rm -rf "$TEST_DIR"' EXIT

# A machine may be slow: programs wait this long for what should take half a second.
patience=60

# flat FILE: the findings, and nothing that names the file
flat() {
	./flatten <"$1" | grep -E '^\.(findings|analyses|lattice)\.' | grep -Ev '\.seconds|second=|\.witness'
}

# ---- in time ----

run timeout 300 foresee run -a property -s "$here/property/landing.spec" -f json -o live.json \
	--on-finding 'cat >told; touch seen' ./landing seen $patience
is $status 1 "a property: status"
has err "ended normally with status 42" "the command of --on-finding reached the program while it ran"
has err "^foresee: live: property land violated, .*landing.c:[0-9]+ in controller \(predicted, certified, after [0-9.]+ s\)$" "the line"
is "$(grep -c '^foresee: live:' err)" 1 "once"
has told '^\{"id": 1, "kind": "property", .*"certified": true' "the finding is the command's input"
run timeout 300 foresee check -q -a property -s "$here/property/landing.spec" -f json -o check.json landing.foresee
flat live.json >live.flat
flat check.json >check.flat
same live.flat check.flat "the report is that of check"
has live.flat '^\.findings\.0\.property="land"' "which has it"

# Races and properties do not wait for each other.
rm -f seen
run timeout 300 foresee run -s "$here/property/landing.spec" ./landing none 3
has err "^foresee: live: property land violated" "beside other analyses: the property"
has err "^foresee: live: data race on " "beside other analyses: a race"
is "$(grep -c '^foresee: live:.*property' err)" 1 "once"

run timeout 300 foresee run -q -a property -s "$here/property/landing.spec" ./landing none 1
is "$(cat err)" "" "-q: nothing is said"
has out "property land violated" "-q: the report comes"
run timeout 300 foresee run --no-live -a property -s "$here/property/landing.spec" ./landing none 1
hasnt err "live" "--no-live"

# A name that is not there is for the report to say.
echo 'shared int nowhere; property p: ptltl nowhere == 0;' >bad.spec
run timeout 300 foresee run -a property -s bad.spec ./landing none 1
is $status 2 "a spec that does not fit: status"
has err "nowhere" "it is said"
hasnt err "live analysis has failed" "nobody fails for it"

# ---- a long run ----

# peak PID...: the most memory of its processes beside, in KiB, while it runs
peak() {
	local most=0 c n

	while kill -0 $1 2>/dev/null; do
		for c in $(pgrep -P $1 -x foresee); do
			n=$(awk '/^VmHWM/ { print $2 }' /proc/$c/status 2>/dev/null)
			[ "${n:-0}" -gt $most ] && most=$n
		done
		sleep 0.2
	done
	echo $most
}

# long WRITES SECONDS: follows a run of so many in which nothing is wrong; sets $most
long() {
	timeout 3000 foresee run -q -a property -s "$here/live/steady.spec" ./steady $1 1000000000 none $2 >out 2>err &
	pid=$!
	sleep 0.3
	most=$(peak $(pgrep -P $pid -x foresee | head -1))
	wait $pid
	is $? 0 "$1 writes: status"
	has out "$(($1 + 1)) levels" "$1 writes: all of them"
}

if [ -n "${LONG:-}" ]; then
	long 1000000 40
	first=$most
	long 10000000 200
else
	long 40000 4
	first=$most
	long 300000 12
fi
echo "# $first KiB, then $most KiB"
if [ "$most" -gt 1000 ] && [ "$most" -lt $((first * 2 + 60000)) ]; then
	pass "the process beside stays small"
else
	fail "the process beside stays small"
fi

# Far into a run, where nobody looks at the recording as a whole to find something.
rm -f seen
run timeout 600 foresee run -a property -s "$here/live/steady.spec" --on-finding 'touch seen' \
	./steady 120000 100000 seen $((patience * 4))
is $status 1 "after 100 000 writes: status"
has err "ended normally with status 42" "told while it ran"
has err "^foresee: live: property land violated, .*certified" "the line"

# ---- a recording that does not fit in memory ----

# Races are looked for part by part, properties in the whole of it, which they are about.
FORESEE_CUT=200000 run timeout 100 foresee record -q -o parts.foresee ./steady 120000 100000
FORESEE_MEMORY=40 run timeout 300 foresee check -s "$here/live/steady.spec" -f json parts.foresee
is $status 1 "in parts: status"
./flatten <out >parts.flat
has parts.flat 'the recording is too long to fit in memory at once' "in parts: it was"
has parts.flat '^\.findings\.[0-9]*\.property="land"' "in parts: the property"
is "$(grep -c '^\.findings\.[0-9]*\.property="' parts.flat)" 1 "in parts: once"
has parts.flat '^\.findings\.[0-9]*\.kind="race"' "in parts: races"
has parts.flat '^\.analyses\..*"property"' "in parts: its row"
has parts.flat '^\.lattice\.property\.levels=1200' "in parts: all of its levels"

# ---- a recording without its beginning ----

# What the spec says of the start does not help, so nobody is asked to say it.
FORESEE_CUT=200000 run timeout 100 foresee record -q --keep 4M -o late.foresee ./steady 400000 1000
run timeout 300 foresee check -a property -s "$here/live/steady.spec" late.foresee
is $status 3 "without its beginning: status"
has err "the recording begins in the middle of the run" "it is said"
hasnt err "say it in the spec" "with no advice that does not help"

# ---- observers ----

# wait_for FILE REGEX
wait_for() {
	for _ in $(seq 200); do
		grep -Eqs -e "$2" "$1" && return
		sleep 0.02
	done
}

# try NAME SEED SPEC ARGS...: ./prog, through the proxy; live, sorted and offline are one
try() {
	local bad= live offline

	rm -rf spool prog.foresee ./*.sock proxy.out observer.err
	foresee observe --once -a property -s "$3" -f json --listen unix:"$PWD/o.sock" --spool spool >live.json 2>observer.err &
	observer=$!
	wait_for observer.err 'listening on'
	./shuffle unix:"$PWD/p.sock" unix:"$PWD/o.sock" $2 >proxy.out 2>proxy.err &
	proxy=$!
	wait_for proxy.out ready
	timeout 60 foresee record --observer unix:"$PWD/p.sock" -o prog.foresee ./prog "${@:4}" >out 2>err </dev/null
	grep -q 'has received all' err || bad="not all was received"
	wait $observer
	live=$?
	{ kill $proxy && wait $proxy; } 2>/dev/null
	timeout 60 foresee check -a property -s "$3" -f json prog.foresee >check.json 2>check.err
	offline=$?
	[ $live = $offline ] || bad="status $live live, $offline offline"
	flat live.json >live.flat
	flat check.json >check.flat
	cmp -s live.flat check.flat || bad="findings differ"
	if [ -z "$bad" ]; then
		pass "$1: $(grep -Ec '^\.findings\.[0-9]*\.kind' live.flat) violated, live and offline"
	else
		fail "$1: $bad"
		diff live.flat check.flat | head -20 >log
		note log
		note err
		note observer.err
		note check.err
	fi
}

n=0
seeds=${LONG:+5}
seeds=${seeds:-1}
for p in "$here"/property/*.c; do
	name=$(basename "$p" .c)
	n=$((n + 1))
	calls=$(sed -n 's/.* call(\([a-z_]*\).*/\1/p' "$here/property/$name.spec" | paste -sd,)
	foresee-cc ${calls:+--foresee-calls=$calls} -g -O1 "$p" order.o -o prog -pthread >log 2>&1 || {
		fail "$name builds"
		note log
		continue
	}
	for ((seed = n; seed < n + seeds; seed++)); do
		try $name $seed "$here/property/$name.spec"
	done
done

# One that goes on for a while, so that the observer's copy is followed.
cp landing prog
foresee observe --once -a property -s "$here/property/landing.spec" --listen unix:"$PWD/q.sock" >live.out 2>observer.err &
observer=$!
wait_for observer.err 'listening on'
run timeout 100 foresee record --observer unix:"$PWD/q.sock" -o prog.foresee ./prog none 4
wait $observer
is $? 1 "an observer of a run that goes on: status"
has live.out "property land violated" "it tells"
done_testing
