#!/usr/bin/env bash
# Programs that hang for good are found, stopped and analysed, others are left alone; Ctrl-C ends
# any program, and the analysis still comes.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

here=$SRC/tests/programs/hang
HANGS='^foresee: the program hangs: for 2 s '
${CC:-cc} -O1 -c -o order.o "$here/../order.c" || exit 2

build() {
	ok "$1 builds" foresee-cc -g -O1 -pthread -I"$here/.." "$here/$1.c" order.o -o "$1"
}

# lasts NAME: the last event of each thread, as printed, is what the program's comments say.
lasts() {
	local got
	foresee print "$1.foresee" >printed 2>err
	sed -n 's|.*// last \(T[0-9]*\): \(.*\)|\1 \2|p' "$here/$1.c" >wanted
	ok "$1: has comments" test -s wanted
	while read -r thread op object; do
		got=$(awk -v t="$thread:" 'index($2, t) == 1 { op = $3; obj = $4; sub(/.*:/, "", obj) }
			END { print op, obj }' printed)
		is "$got" "$op $object" "$1: last event of $thread"
	done <wanted
}

for name in crossed join lost again; do
	build $name
	run timeout 30 foresee run --trace $name.foresee ./$name
	[ $status -lt 2 ]
	is "$?" 0 "$name: is analysed"
	has err "$HANGS.*; it is stopped now, and its run is analysed\$" "$name: it hangs, is said"
	has err '; the program hung and was stopped; trace: ' "$name: and that it was stopped"
	is "$(grep -Ec "$HANGS" err)" 1 "$name: once"
	lasts $name
	ok "$name: verifies" foresee verify $name.foresee
done
run timeout 30 foresee run -q ./again
is "$(cat err)" "" "-q says nothing"

# record says so and leaves it.  env: a shell's background job ignores SIGINT.
env --default-signal=INT foresee record -o left.foresee ./crossed 2>said &
pid=$!
for _ in $(seq 100); do
	grep -Eq "$HANGS" said && break
	sleep 0.1
done
has said "$HANGS""all of its 3 threads have waited, and nobody is left to wake them; Ctrl-C ends it\$" "record says it"
sleep 1
ok "and leaves it" kill -0 $pid
kill -INT $pid
wait $pid
is "$?" 130 "until somebody ends it"
is "$(grep -Ec "$HANGS" said)" 1 "said once"
foresee run --no-hang-stop ./again >report 2>said &
pid=$!
sleep 4
ok "--no-hang-stop leaves it too" kill -0 $pid
has said "$HANGS""its 1 thread has waited, and nobody is left to wake it; Ctrl-C ends it\$" "and says so"
kill -TERM $pid
wait $pid
has said 'was killed by signal 15' "SIGTERM ends the program"
has report '^1  deadlock of T1 with itself on ' "and the analysis comes"

# All at once: each of them takes some seconds.
build alive
for what in timed sleep poll runs alarm process child; do
	{
		timeout 30 foresee run --trace $what.foresee ./alive $what >$what.out 2>$what.err
		echo $? >$what.rc
	} &
done
wait
for what in timed sleep poll runs alarm process child; do
	hasnt $what.err "$HANGS" "$what: does not hang"
	has $what.err 'ended normally with status 0' "$what: ends by itself"
done

cat >loop.c <<'EOT'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static int x;
static void *add(void *arg) { (void)arg; for (;;) { x++; usleep(1000); } }
int main(int argc, char **argv)
{
	pthread_t t;
	(void)argv;
	if (argc > 1) {
		signal(SIGINT, SIG_IGN);
		signal(SIGTERM, SIG_IGN);
	}
	pthread_create(&t, NULL, add, NULL);
	puts("ready");
	fflush(stdout);
	for (;;) { x++; usleep(1000); }
}
EOT
ok "a program without end builds" foresee-cc -g -O1 -pthread loop.c -o loop

# begin ARGS...: in the background, until the program is at work.
begin() {
	rm -f pipe
	mkfifo pipe
	env --default-signal=INT foresee "$@" >pipe 2>err &
	pid=$!
	exec 5<pipe
	read -r line <&5
	cat <&5 >out &
	cat=$!
	exec 5<&-
	sleep 0.3
}

for signal in INT TERM; do
	begin run ./loop
	kill -$signal $pid
	wait $pid
	is "$?" 1 "SIG$signal: a program without end is ended, and analysed"
	wait $cat
	has out ' on x' "SIG$signal: its race is there"
	begin run ./loop stubborn
	kill -$signal $pid
	for _ in $(seq 50); do
		grep -q 'asked to end' err && break
		sleep 0.1
	done
	has err '^foresee: the program was asked to end and has not; Ctrl-C again kills it$' "SIG$signal: one that does not listen is told of"
	kill -$signal $pid
	wait $pid
	is "$?" 1 "SIG$signal: the second time it is killed, and analysed"
	has err 'was killed by signal 9' "SIG$signal: hard"
	wait $cat
done
timeout 3 foresee run ./loop >out 2>err
is "$?" 124 "timeout: its own status"
has out ' on x' "timeout: the analysis comes all the same"

# types WORD...: Ctrl-C each time that the next word has appeared at the terminal.
types() {
	for word; do
		for _ in $(seq 100); do
			grep -aqs "$word" screen && break
			sleep 0.1
		done
		sleep 0.5
		printf '\003'
	done
	sleep 2
}
if script -qec true /dev/null >/dev/null 2>&1; then
	types ready | timeout 30 script -qfec 'foresee run ./loop' screen >out 2>&1
	has out ' on x' "Ctrl-C at a terminal: the analysis comes"
	has out 'killed by signal 2' "Ctrl-C at a terminal: the program got it"
	rm screen
	types ready 'asked to end' | timeout 30 script -qfec 'foresee run ./loop stubborn' screen >out 2>&1
	has out 'killed by signal 9' "Ctrl-C twice at a terminal: it is killed"
	has out ' on x' "Ctrl-C twice at a terminal: the analysis comes"
else
	echo "# no terminal can be had here: Ctrl-C at one was not tried"
fi
done_testing
