#!/usr/bin/env bash
# A program without end, and many events: Ctrl-C and SIGTERM give a report soon, of what there is time
# for; a report file is whole, or as it was before.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

here=$SRC/tests/programs/ends
${CC:-cc} -O1 -c -o order.o "$here/../order.c" || exit 2
ok "endless builds" foresee-cc -g -O1 -pthread -I"$here/.." "$here/endless.c" order.o -o endless

# begin ARGS...: until there is more than can be looked at in the time that is left.
begin() {
	rm -f trace
	: >said
	env --default-signal=INT foresee run --no-live --trace trace "$@" ./endless >said 2>err &
	pid=$!
	for _ in $(seq 600); do
		[ -s said ] && [ "$(stat -c %s trace 2>/dev/null || echo 0)" -gt 40000000 ] && break
		sleep 0.05
	done
}

for signal in INT TERM; do
	begin -o report.$signal
	kill -$signal $pid
	wait $pid
	is "$?" 1 "SIG$signal: something is found"
	has report.$signal '^[0-9]+  data race on shared .*predicted, certified$' "SIG$signal: the race that there is"
	has report.$signal '^  The program was stopped on request, by SIG'$signal "SIG$signal: how it ended"
	has report.$signal '^not complete: stopped on request: there was time for the first [0-9]+ events' \
		"SIG$signal: and that not all was looked at"
	hasnt err 'damage|is not relied on' "SIG$signal: that is no damage"
done
ok "the whole recording is still there" test "$(stat -c %s trace)" -gt 40000000

echo before >report
begin -o report
kill -KILL $pid
wait $pid 2>/dev/null
kill -KILL "$(cat said)"
is "$(cat report)" before "who is killed leaves the report of before"
begin -o fresh
kill -KILL $pid
wait $pid 2>/dev/null
kill -KILL "$(cat said)"
ok "and no empty one" test ! -e fresh

# Before it is known whether there will be a report, whether it can be written.
mkdir closed
run foresee check -o closed trace
is "$status" 2 "a directory is no file"
run foresee check -o no/where trace
is "$status" 2 "nor is there one in none"
done_testing
