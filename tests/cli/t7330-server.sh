#!/usr/bin/env bash
# A server under load, recorded with a bound on the file and an observer that is attached, stopped
# for a while, killed and started again: no client sees an error, memory of both sides stays where it
# is, and the one race of the server is reported.  10 seconds; with LONG 10 minutes.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

here=$SRC/tests/programs/server
seconds=${LONG:+600}
seconds=${seconds:-10}
tenth=$((seconds * 100000000)) # ns
export FORESEE_MEMORY=100

ok "the server builds" foresee-cc -g -O2 -pthread "$here/server.c" -o server
ok "the client builds" ${CC:-cc} -O2 -pthread "$here/client.c" -o client

observer=
observe() {
	foresee observe --listen unix:"$PWD/o.sock" --spool-size 32M -o report.$1 2>said.$1 &
	observer=$!
}

# family PID: the process and all under it.
family() {
	local p
	echo "$1"
	for p in $(pgrep -P "$1"); do family "$p"; done
}

# memory PID...: MiB that they have together and nobody else has
memory() {
	local p sum=0 kib
	for p; do
		kib=$(awk '/^(Private_Clean|Private_Dirty):/ { n += $2 } END { print n + 0 }' \
			/proc/"$p"/smaps_rollup 2>/dev/null)
		sum=$((sum + ${kib:-0}))
	done
	echo $((sum / 1024))
}

tops=0
# until TENTHS of the time have passed; looks at the memory of the observer meanwhile
until_tenth() {
	local m
	while [ "$(date +%s%N)" -lt $((begun + tenth * $1)) ]; do
		sleep 0.2
		m=$(memory $(family "$observer"))
		[ "$m" -gt $tops ] && tops=$m
	done
}

observe 1
foresee record --keep 16M --observer unix:"$PWD/o.sock" -o s.foresee ./server s.sock >out.server 2>err.server &
recorder=$!
for _ in $(seq 100); do
	[ -S s.sock ] && break
	sleep 0.1
done
./client s.sock 4 "$seconds" 200 >out.client 2>err.client &
client=$!
begun=$(date +%s%N)
until_tenth 2
server=$(pgrep -P $recorder -x server)
ok "the server runs" test -n "$server"
early=$(memory "$server")
kill -KILL $observer $(family $observer)
until_tenth 3
observe 2
until_tenth 5
kill -STOP $(family $observer)
until_tenth 6
kill -CONT $(family $observer)
until_tenth 7
kill -TERM $observer
wait $observer
observe 3
until_tenth 9
wait $client
is "$?" 0 "every client had every answer, and the right one"
# Where others want the processors too, the live analysis gets little of them: it has more clients to look at then.
for _ in $(seq 20); do
	grep -qs '(predicted, certified' said.[123] && break
	./client s.sock 4 3 200 >>out.client 2>>err.client
done
is "$(cat err.client)" "" "the clients complain of nothing"
late=$(memory "$server")
ok "the server's memory stays: $early MiB, then $late" test "$late" -le $((early * 5 / 4 + 8))
ok "the observer's memory stays under a bound: at most $tops MiB" test "$tops" -gt 0 -a "$tops" -le 400
size=$(($(stat -c %b s.foresee) / 2048))
ok "so does the file: $size MiB" test "$size" -le 32
./client s.sock stop
wait $recorder
is "$?" 0 "the server ended well"
has out.server '^served some$' "and says so"
kill -TERM $observer
wait $observer
ok "the recording is consistent" foresee verify s.foresee
foresee print s.foresee 2>/dev/null | grep -m1 'stack of T[2-5]' >stacks
ok "it knows the stacks of threads whose beginning was dropped" test -s stacks
cat report.* >reports 2>/dev/null
has reports 'data race on served .*predicted, certified' "the observer reports the race"
is "$(grep -E '^ *[0-9]+  [a-z].* (predicted, certified|warning)' reports | grep -vc 'data race on served ')" 0 \
	"and nothing else"
note err.server
note out.client
done_testing
