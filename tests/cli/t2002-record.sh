#!/usr/bin/env bash
# record: the program runs as itself, its status is ours, the trace holds it.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"
ok "the program builds" foresee-cc -g -O1 -pthread "$SRC/tests/cases/std/two_threads.c" -o prog

run foresee record ./prog
is "$status" 0 "status 0"
is "$(cat out)" "total 3" "its output is untouched"
has err '^foresee: recorded [0-9]+ events of 3 threads in [0-9.]+ s; the program ended normally with status 0; trace: prog\.foresee \([0-9]+ bytes\)$' "one line about it"
is "$(wc -l <err)" 1 "and only one"
said=$(sed -n 's/^foresee: recorded \([0-9]*\) events.*/\1/p' err)
ok "the trace is there" test -s prog.foresee
run foresee stats prog.foresee
has out "^prog.foresee: recording, $said events of 3 threads" "stats counts what record said"

run foresee record -q -o other.foresee ./prog 7
is "$status" 7 "the program's status"
is "$(cat err)" "" "-q is quiet"
ok "-o names the trace" test -s other.foresee
run foresee stats other.foresee
has out '^other.foresee: recording, [0-9]+ events of 3 threads' "stats of a recording"
has out '^  complete yes' "is complete"
run foresee print other.foresee
is "$status" 0 "print of a recording"
has out ' write +two_threads\.c:total +.*= 3 +.*\(was ' "total is written, and the version before it named"
has out 'two_threads\.c:[0-9]+ in add$' "with its place"
has out ' lock +two_threads\.c:lock ' "the lock by name"
run foresee print --stacks other.foresee
has out '^ +called from .*two_threads\.c:[0-9]+ in worker$' "call stacks"
run foresee print --sites other.foresee
has out 'total .*two_threads\.c:[0-9]+ in add' "the table of places"
run foresee verify other.foresee
is "$status" 0 "verify of a recording"
has out '^consistent: [0-9]+ events, [0-9]+ reads checked, 0 unknown$' "is consistent"

run foresee record -o crash.foresee ./prog a b
is "$status" 134 "a killed program: 128 + signal"
has err 'the program was killed by signal 6 \(Aborted' "is said"
run foresee stats crash.foresee
is "$status" 0 "its trace is readable"
has out '^  complete no' "and not complete"

echo old >prog.foresee
run foresee record -q -- ./prog 3
is "$status" 3 "-- before the program"
ok "an old file was replaced" foresee stats prog.foresee
run foresee record -q --full ./prog
is "$status" 0 "--full"
run foresee stats prog.foresee
has out 'nothing was filtered' "is in the trace"
run foresee record -q --ignore 'total' ./prog
run foresee stats prog.foresee
has out 'missing by request' "--ignore is in the trace"
printf 'int g[9], h;\nint main(void) { for (int i = 0; i < 9; i++) g[i] = i; h = 1; return 0; }\n' >vars.c
ok "a program with an array builds" foresee-cc -g -O0 vars.c -o vars
foresee record -q --ignore g ./vars
run foresee print vars.foresee
hasnt out ' write +g' "--ignore takes an array by its name"
has out ' write +h ' "and nothing else"
foresee record -q --only 'g' ./vars
run foresee print vars.foresee
has out ' write +g' "--only takes it too"
hasnt out ' write +h ' "and nothing else"
run foresee record --only "" ./prog
is "$status" 2 "an empty pattern"

PATH=$PWD:$PATH run foresee record -q prog
is "$status" 0 "found along PATH"
(cd / && foresee record -q -o "$TEST_DIR/abs.foresee" "$TEST_DIR/prog") >out
ok "from another directory" foresee verify abs.foresee

# SIGTERM goes on to the program, and foresee stays to see it end.
cat >wait.c <<'EOT'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void stop(int s) { (void)s; _exit(42); }
int main(void)
{
	signal(SIGTERM, stop);
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
EOT
ok "a program that waits" foresee-cc -g wait.c -o wait
mkfifo pipe
foresee record -o wait.foresee ./wait >pipe 2>err &
pid=$!
read -r line <pipe
kill -TERM $pid
wait $pid
is "$?" 42 "a signal is passed on"
has err 'ended normally with status 42' "and the end is seen"
done_testing
