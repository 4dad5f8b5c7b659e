#!/usr/bin/env bash
# record --observer and observe: findings are those of `check', over both kinds of sockets; strangers
# are turned away in words; observers that are slow, stuck, killed or not there do the program no harm.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

here=$SRC/tests/programs
${CC:-cc} -O1 -c -o order.o "$here/order.c" &&
	${CC:-cc} -O1 -D_GNU_SOURCE -I"$SRC/src" -o puppet "$SRC/tests/link/puppet.c" || exit 2
ok "a racy program builds" foresee-cc -g -O1 -pthread -I"$here" "$here/race/account.c" order.o -o account
ok "one that works builds" foresee-cc -g -O2 -pthread -I"$SRC/tests/perf/kernels" "$SRC/tests/perf/kernels/bank.c" -o bank
cat >lives.c <<'EOT'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int shared, guarded;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *add(void *arg)
{
	for (int i = 0; i < 200; i++) {
		pthread_mutex_lock(&m);
		guarded++;
		pthread_mutex_unlock(&m);
	}
	shared++;
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t a, b;
	int tenths = argc > 1 ? atoi(argv[1]) : 1;
	pthread_create(&a, NULL, add, NULL);
	pthread_create(&b, NULL, add, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	for (int i = 0; i < tenths; i++)
		usleep(100000);
	puts("done");
	return 7;
}
EOT
ok "one that lives for a while builds" foresee-cc -g -O1 -pthread lives.c -o lives

pid= recorder=
trap 'kill -KILL $pid $recorder 2>/dev/null; cd / && rm -rf "$TEST_DIR"' EXIT

# child PARENT NAME: the process of that name that PARENT has started
child() {
	local p
	for p in $(pgrep -P "$1"); do
		[ "$(cat /proc/$p/comm)" = "$2" ] && echo $p
	done
}

# follow ARGS...: a recording in the background: $recorder, files p.out and p.err
follow() {
	foresee record --observer "$at" -o p.foresee "$@" >p.out 2>p.err &
	recorder=$!
}

# wait_for FILE REGEX
wait_for() {
	for _ in $(seq 200); do
		grep -Eqs -e "$2" "$1" && return
		sleep 0.05
	done
	echo "# waited in vain for $2 in $1"
}

# begin NAME ARGS...: an observer in the background: $pid, $at, files NAME.out and NAME.err
begin() {
	local name=$1
	shift
	rm -f $name.err
	env --default-signal=INT foresee observe "$@" >$name.out 2>$name.err &
	pid=$!
	wait_for $name.err 'listening on'
	at=$(sed -n 's/.*listening on \([^;]*\);.*/\1/p' $name.err)
}

# finish NAME STATUS WHAT: the observer ends by itself with that status
finish() {
	wait $pid
	is "$?" "$2" "$3"
}

# findings FILE...: what reports in JSON find, without numbers of processes and the like
findings() {
	sed -n 's/^ *"\(kind\|status\|object\|file\|line\|function\|variable\)": *\(.*\)/\1 \2/p' "$@"
}

# ---- findings are those of check ----
for where in unix:"$PWD/o.sock" :0; do
	kind=${where%%:*}
	unset FORESEE_TOKEN
	begin o --once -f json --listen "$where" --spool spool.$kind
	token=$(sed -n 's/.*FORESEE_TOKEN=\([0-9a-f]*\) .*/\1/p' o.err)
	[ -z "$token" ] || export FORESEE_TOKEN=$token
	run timeout 60 foresee record --observer "$at" -o account.foresee ./account
	is "$status" 0 "${kind:-tcp}: the program's own status"
	has err "^foresee: observer $at has received all [0-9]+ bytes\$" "${kind:-tcp}: all was received"
	finish o 1 "${kind:-tcp}: the race is found"
	foresee check -f json account.foresee >check.out 2>/dev/null
	is "$(findings o.out)" "$(findings check.out)" "${kind:-tcp}: as check finds it"
	has o.out '"kind": *"race"' "${kind:-tcp}: a race it is"
	foresee print account.foresee >printed 2>/dev/null
	foresee print spool.$kind/account-*.foresee >copy 2>/dev/null
	same copy printed "${kind:-tcp}: the copy has the same events"
done
[ -n "$token" ]
is "$?" 0 "TCP: a token was made"
unset FORESEE_TOKEN
ok "the socket is gone afterwards" test ! -e o.sock

# ---- who is turned away ----
echo "correct horse" >secret
chmod 644 secret
begin o --listen :0 --token-file secret
has o.err "record with: foresee record --observer tcp:127.0.0.1:[0-9]+ --token-file secret PROG" "TCP: the line to type"
has o.err "^foresee: others may read the token in 'secret': type 'chmod 600 secret'" "a token that others may read"
chmod 600 secret
run timeout 30 foresee record --token wrong --observer "$at" -o t.foresee ./account
is "$status" 0 "wrong token: the program runs"
has err "^foresee: observer $at refuses: wrong token\$" "wrong token: told to the recorder"
has o.err 'turned away peer [0-9]+: wrong token$' "wrong token: told to the observer"
run foresee record --observer "$at" -o t.foresee ./account
is "$status" 125 "no token: nothing is started"
has err 'wants a token: use --token-file' "no token: told what to do"
run timeout 30 foresee record --token-file secret --observer "$at" -o t.foresee ./account
has err 'has received all' "the right token"
for how in garbage version format lies big half; do
	timeout 20 ./puppet peer "$at" $how "correct horse" >$how.out 2>&1 &
done
timeout 20 ./puppet peer "$at" silent >silent.out
timeout 20 ./puppet peer "$at" lies wrong >wrong.out
has garbage.out 'refused: what came is no message of foresee' "garbage is refused in words"
has version.out 'refused: the other side speaks version 9 of the protocol, this foresee version 1' "another protocol"
has format.out 'refused: the recording has version 99, this foresee reads up to [0-9]+' "another format"
has lies.out 'refused: chunk 0 of T1 does not agree with its sum' "damage"
has big.out 'refused: a chunk message of 4294967295 bytes' "too much"
has silent.out 'refused: it did not say who it is in time' "silence"
has wrong.out 'refused: wrong token' "a wrong token, and data at once"
run timeout 30 foresee record --token-file secret --observer "$at" -o t.foresee ./account
has err 'has received all' "others are served all the same"
kill -INT $pid
wait $pid
is "$?" 1 "Ctrl-C: the worst of all"
is "$(grep -c '^1  data race on a.balance' o.out)" 2 "two reports"

begin o --listen unix:"$PWD/o.sock"
is "$(stat -c %a o.sock)" 600 "the socket is private"
run foresee observe --listen unix:"$PWD/o.sock"
is "$status" 2 "a second observer at the same place"
has err 'cannot listen on unix:.*: somebody listens there already' "is told why not"
sleep 0.3
is "$(grep -c 'turned away' o.err)" 0 "and the first takes no notice"
{ kill -KILL $pid && wait $pid; } 2>/dev/null
ok "killed: the socket is left" test -S o.sock
begin o --once --listen unix:"$PWD/o.sock"
run timeout 30 foresee record -q --observer "$at" -o t.foresee ./account
is "$(cat err)" "" "-q says nothing"
finish o 1 "a stale socket is replaced"

# ---- several at once ----
begin o --listen unix:"$PWD/o.sock" --peers 3 --spool many
for i in 1 2 3; do
	foresee record --observer "$at" -o many$i.foresee ./lives 15 >many$i.out 2>many$i.err &
	peers[i]=$!
done
for i in 1 2 3; do wait_for o.err "begins"; done
sleep 0.5
timeout 60 foresee record --observer "$at" --observer-wait 20 -o many4.foresee ./account >many4.out 2>many4.err
for i in 1 2 3; do
	wait ${peers[i]}
	is $? 7 "peer $i of three: its own status"
	has many$i.err 'has received all' "peer $i of three: received"
done
has many4.err 'is busy: it has as many recordings as it takes \(--peers\)' "the fourth has to wait"
has many4.err 'has received all' "and is served then"
kill -INT $pid
wait $pid
is "$?" 1 "all are analysed"
is "$(grep -Ec '^(lives|account) \(process [0-9]+\):$' o.out)" 4 "four reports"
awk '/^[a-z]+ \(process [0-9]+\):$/ { n++; bad += open; open = 1 } /^1 finding/ { open = 0 } END { exit bad || open || n != 4 }' o.out
is "$?" 0 "which do not mix"

# ---- observers that do no good ----
for how in mute stuck slow; do
	rm -f p.sock
	timeout 60 ./puppet observer unix:"$PWD/p.sock" $how >puppet.out &
	puppet=$!
	wait_for puppet.out ready
	start=$(date +%s%N)
	run timeout 60 foresee record --observer unix:"$PWD/p.sock" --observer-wait 1 -o p.foresee ./bank 100000
	is "$status" 0 "$how: the program's own status"
	mv err p.err
	took=$((($(date +%s%N) - start) / 1000000))
	ok "$how: the program is done in time ($took ms)" test $took -lt 8000
	has p.err 'has not received all of the recording within 1 s of its end' "$how: told of"
	has p.err "'foresee check .*p.foresee' looks at all of it" "$how: with what to do"
	ok "$how: nothing is lost" foresee verify p.foresee
	{ kill $puppet && wait $puppet; } 2>/dev/null
done
run timeout 60 foresee record --observer unix:"$PWD/nobody.sock" --observer-wait 1 -o p.foresee ./account
is "$status" 0 "nobody there: the program's own status"
has err "cannot reach unix:.*nobody.sock: .*; the program runs, its recording goes to '.*p.foresee'" "nobody there: told once"
has err "the program has ended; waiting up to 1 s for observer .*nobody.sock \(--observer-wait\)" "nobody there: why we stay"
is "$(grep -c 'cannot reach' err)" 1 "once"

# It comes later.
at=unix:$PWD/later.sock
follow ./lives 15
sleep 0.5
begin o --once --listen unix:"$PWD/later.sock"
wait $recorder
is "$?" 7 "an observer that comes later: the program's own status"
has p.err 'has received all' "receives all"
finish o 1 "and finds the race"

# It is killed and another one comes.
begin o --listen unix:"$PWD/o.sock"
follow ./lives 40
wait_for o.err 'begins'
sleep 0.3
{ kill -KILL $pid && wait $pid; } 2>/dev/null
wait_for p.err 'is gone'
has p.err 'observer unix:.* is gone \(.*\); the recording goes on' "killed: told of"
begin o --once -f json --listen unix:"$PWD/o.sock"
wait $recorder
is "$?" 7 "killed: the program's own status"
is "$(cat p.out)" "done" "killed: and output"
has p.err 'has received all' "killed: the next one gets all of it"
finish o 1 "killed: and finds what there is"
foresee check -f json p.foresee >check.out 2>/dev/null
is "$(findings o.out)" "$(findings check.out)" "killed: as check does"

# ---- bounds ----
rm -rf small
begin o --once --listen unix:"$PWD/o.sock" --spool small --spool-size 16M
run timeout 60 foresee record --observer "$at" -o p.foresee ./bank 500000
has err 'has received all' "a small spool: all is received"
# Where the machine is busy, parts go before anybody has looked at them; that is said, and no more of them
# than the run had.
wait $pid
looked=$?
unseen=$(sed -n 's/^not complete: \([0-9]*\) events were dropped (--keep).*/\1/p' o.out)
is "$looked ${unseen:+3}" "$([ "$unseen" ] && echo "3 3" || echo "0 ")" "a small spool: what is left is analysed"
ok "a small spool: so many events were there" test "${unseen:-0}" -lt 20000000
has o.err 'parts of its beginning were dropped; a larger --spool-size keeps more' "a small spool: told of"
ok "a small spool: it is" test "$(du -m small | cut -f 1)" -le 20
ok "a small spool: consistent" foresee verify small/*.foresee
timeout 60 ./puppet observer unix:"$PWD/p2.sock" stuck >puppet2.out &
puppet=$!
wait_for puppet2.out ready
run timeout 60 foresee record --observer unix:"$PWD/p2.sock" --observer-wait 1 -o p.foresee ./bank 2000000
has err 'the observer is [0-9]+ MiB behind; nothing is lost: the recording is in' "far behind: told of"
{ kill $puppet && wait $puppet; } 2>/dev/null
run timeout 60 foresee record --keep 16M --observer unix:"$PWD/p2.sock" --observer-wait 0 -o p.foresee ./bank 500000
is "$status" 0 "with --keep, and nobody there"

# A ring, and an observer that takes it all.
begin o --once -f json --listen unix:"$PWD/o.sock" --spool ring
run timeout 60 foresee record --keep 16M --observer "$at" -o p.foresee ./bank 1000000
has err 'has received all' "--keep: received what there was"
wait $pid
case $? in
0 | 3) pass "--keep: analysed" ;; # 3: some was dropped before anybody looked
*) fail "--keep: analysed" ;;
esac
ok "--keep: consistent" foresee verify ring/*.foresee

# ---- ends ----
# The relay is killed: what came is analysed.
begin o --once --listen unix:"$PWD/o.sock"
follow ./lives 15
wait_for o.err 'begins'
sleep 0.6
kill -KILL "$(child $recorder foresee)"
wait $recorder
is "$?" 7 "the relay is killed: the program's own status"
has p.err 'the process that sent the recording was killed \(signal 9\); nothing is lost' "the relay is killed: told of"
finish o 1 "what had come is analysed"
has o.err 'lives \(process [0-9]+\): .*what has come is analysed like a run that was killed' "and that is said"

# The program is killed.
begin o --once --listen unix:"$PWD/o.sock"
follow ./lives 300
wait_for o.err 'begins'
sleep 0.5
kill -KILL "$(child $recorder lives)"
wait $recorder
is "$?" 137 "a killed program: 128 + 9"
finish o 1 "is analysed"
has o.err 'was killed by signal 9' "and that is said"

# Ctrl-C in the middle of a recording.
begin o --listen unix:"$PWD/o.sock"
follow --observer-wait 0 ./lives 30
wait_for o.err 'begins'
sleep 0.7
# Twice: timeout(1) signals both its child and the group, and means it once.
kill -INT $pid
sleep 0.02
kill -INT $pid
finish o 1 "Ctrl-C: the report comes"
has o.err 'stopping; reports of what has come are next' "Ctrl-C: announced"
has o.out 'data race on shared' "Ctrl-C: with the finding"
wait $recorder
is "$?" 7 "Ctrl-C: the program's own status"

# ---- a finding while the program runs ----
begin o --once --listen unix:"$PWD/o.sock" --on-finding 'echo "$FORESEE_SUMMARY" >>alarm'
follow ./lives 50
wait_for o.out 'while it runs'
kill -0 $recorder
is "$?" 0 "live: told while the program runs"
has o.out 'data race on shared' "live: what"
has o.err 'lives \(process [0-9]+\): live: .*shared' "live: a line for people"
kill -KILL "$(child $recorder lives)"
wait $recorder
finish o 1 "live: the report at the end"
is "$(grep -c shared alarm)" 1 "live: one alarm for it"

# ---- bad command lines ----
for args in "--listen nonsense" "--listen unix:" "--spool-size 1K" "--peers 0" "--token-file none --listen :0" "extra" "--spool /dev/null"; do
	run timeout 10 foresee observe $args
	is "$status" 2 "observe $args: refused"
	has err '^foresee: .' "observe $args: in words"
done
run foresee record --observer nonsense ./account
is "$status" 125 "record: a bad address"
has err "bad address 'nonsense'" "record: told of"
done_testing
