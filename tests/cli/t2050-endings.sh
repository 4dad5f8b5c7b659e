#!/usr/bin/env bash
# How a program ended is part of the answer: hangs and crashes are findings, of `run', of `check' of the
# trace alone, and of an observer.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

here=$SRC/tests/programs/ends
${CC:-cc} -O1 -c -o order.o "$here/../order.c" || exit 2
for name in hang crash; do
	ok "$name builds" foresee-cc -g -O1 -pthread -I"$here/.." "$here/$name.c" order.o -o $name
done
${CC:-cc} -g -O1 -pthread "$here/hang.c" -o plain || exit 2

# json FILE EXPRESSION: of the object in FILE, as Python has it.
json() {
	python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$@"
}

# Hangs take two seconds each to be sure of: all at once.
for what in holder condition barrier semaphore; do
	timeout 60 foresee run --trace $what.foresee ./hang $what >$what.out 2>$what.err
	echo $? >$what.rc
done &
timeout 60 foresee run --locks-only --trace locks.foresee ./plain holder >locks.out 2>locks.err &
# record tells of it and leaves it; who ends it ends a hang.
foresee observe --once --listen unix:"$PWD/hung" -f json >hung.seen 2>hung.err &
for _ in $(seq 300); do
	grep -q 'listening on' hung.err && break
	sleep 0.1
done
env --default-signal=INT foresee record -o left.foresee --observer unix:"$PWD/hung" ./hang holder 2>left.err &
pid=$!
for _ in $(seq 300); do
	grep -q '^foresee: the program hangs' left.err && break
	sleep 0.1
done
kill -INT $pid
wait

wanted() {
	case $1 in
	holder) echo 'waits for m, which T2 holds, and T2 has ended' ;;
	condition) echo 'waits for a signal of c, and nobody is left to send one' ;;
	barrier) echo 'waits at the barrier b: 1 of 2 threads have come' ;;
	semaphore) echo 'waits for the semaphore s, and nobody is left to post it' ;;
	esac
}
for what in holder condition barrier semaphore; do
	is "$(cat $what.rc)" 1 "$what: status"
	has $what.out '^1  hang: T1 waits for ever +it happened$' "$what: it is a finding"
	has $what.out "^   T1  $(wanted $what)\$" "$what: who waits for what"
	has $what.out '^       .*hang\.c:[0-9]+ in main$' "$what: and where"
	run foresee check $what.foresee
	is "$status" 1 "$what: the trace alone knows it"
	has out '^1 finding \(1 hang\)' "$what: as the same kind"
	ok "$what: the recording is consistent" foresee verify $what.foresee
done
has locks.out "^   T1  $(wanted holder)\$" "--locks-only knows it"
run foresee check -f json left.foresee
is "$status" 1 "a hang that was ended by Ctrl-C is in the trace"
is "$(json out 'd["findings"][0]["kind"], d["findings"][0]["status"], d["program"]["hung"]')" \
	"('hang', 'observed', True)" "and in JSON"
is "$(json out 'd["exhaustive"], "the program hung" in d["not_exhaustive_because"]')" "(False, True)" \
	"which promises nothing"
is "$(json hung.seen 'd["findings"][0]["kind"], d["findings"][0]["status"], d["program"]["hung"]')" \
	"('hang', 'observed', True)" "and an observer hears of it"
echo 'hang:lock:m' >rule
run foresee check --suppress rule left.foresee
is "$status" 0 "it can be suppressed"
# A deadlock that explains the hang is told once.
foresee-cc -g -O1 -pthread -I"$here/.." "$here/../hang/crossed.c" order.o -o crossed || exit 2
run timeout 60 foresee run ./crossed
has out '^1 finding \(1 deadlock\)' "a deadlock is not told twice"

for what in segv abort; do
	run timeout 60 foresee run --trace $what.foresee ./crash $what
	is "$status" 1 "$what: status"
	cp out $what.out
	has out '^1  crash.*: SIG(SEGV|ABRT) .*it happened$' "$what: it is a finding"
	has out '^   T1  (waited|the last)' "$what: with what each thread did"
	has out '^   T2  got the signal; ' "$what: and which one got the signal"
	has out '^[23]  data race on shared .*predicted, certified$' "$what: the race before it is not lost"
	run timeout 60 foresee run --keep 4M --trace kept.foresee ./crash $what
	has out '^[23]  data race on shared .*predicted, certified$' "$what: nor with --keep"
	run foresee check -f json $what.foresee
	is "$status" 1 "$what: the trace alone knows it"
	is "$(json out 'd["program"]["status"] - 128 == d["program"]["signal"], d["program"]["hung"]')" \
		"(True, False)" "$what: the end is in JSON"
done
run foresee check --expect-status 139 -f json segv.foresee
is "$(json out '[f["kind"] for f in d["findings"] if f["kind"] == "crash"]')" "[]" "--expect-status"
run foresee check --expect-status 134 segv.foresee
is "$status" 1 "of another signal does not count"
run foresee check --expect-status 256 segv.foresee
is "$status" 2 "256 is no status"
run foresee run ./crash status
has out '^  The program ended with status 3\.$' "a status is told"
run foresee run -f json --trace kill.foresee ./crash kill
is "$(json out 'd["program"]["signal"], d["program"]["status"]')" "(9, 137)" "SIGKILL is told"
hasnt out '"kind": "crash"' "and is no crash"
run foresee check kill.foresee
hasnt out 'any run' "but nothing is called clean"

foresee observe --once --listen unix:"$PWD/socket" >seen 2>observe.err &
for _ in $(seq 300); do
	grep -q 'listening on' observe.err && break
	sleep 0.1
done
foresee record -q -o sent.foresee --observer unix:"$PWD/socket" ./crash segv 2>/dev/null
wait
has seen '^1  crash.*: SIGSEGV .*it happened$' "an observer hears of it"
has seen '^   T2  got the signal; ' "and which thread got the signal"

# Nobody can join a thread that was made detached.
cat >detached.c <<'EOF'
#include <pthread.h>
static void *nothing(void *arg)
{
	return arg;
}
int main(void)
{
	pthread_attr_t attr;
	pthread_t t[2];

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	return pthread_create(&t[0], &attr, nothing, NULL) || pthread_create(&t[1], NULL, nothing, NULL);
}
EOF
foresee-cc -g -O1 -pthread detached.c -o detached || exit 2
run foresee run -f json ./detached
is "$(json out 'd["program"]["threads_unjoined"]')" 1 "a thread made detached is not one that nobody joined"
done_testing
