#!/usr/bin/env bash
# A replay runs the program several times: each run has the same input, and leaves nothing behind.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

mkdir tmp && export TMPDIR=$TEST_DIR/tmp
cat >input.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int x;
static void *f(void *arg) { x = 1; return arg; }
int main(void)
{
	unsigned sum = 0, n = 0;
	unsigned char piece[5000];
	pthread_t t;
	ssize_t k;

	pthread_create(&t, NULL, f, NULL);
	x = 2;
	pthread_join(t, NULL);
	while ((k = read(0, piece, sizeof(piece))) > 0)
		for (ssize_t i = 0; i < k; i++, n++)
			sum = sum * 31 + piece[i];
	printf("%u bytes, sum %u, x %d\n", n, sum, x);
	return 0;
}
END
foresee-cc -g -O1 -pthread input.c -o input || exit 2
seq 40000 >numbers
tail -n +4 numbers >rest
ok "recorded" foresee record -q -o input.foresee ./input <numbers
whole=$(foresee record -q -o plain.foresee ./input <numbers | cut -d, -f1-2)
short=$(foresee record -q -o plain.foresee ./input <rest | cut -d, -f1-2)

# fed [OPTIONS]: with our input.
fed() {
	timeout 60 foresee replay "$@" input.foresee 1 >out 2>err
	status=$?
}
# same NAME INPUT-WORDS: both runs had that input.
same() {
	is "$status" 0 "$1: replayed"
	is "$(grep -c "| $2, x [12]" out)" 2 "$1: both runs had all of it"
}
fed <numbers
same file "$whole"
fed < <(cat numbers)
same pipe "$whole"
{ read -r _; read -r _; read -r _; fed; } <numbers
same "a file from its middle" "$short"
fed </dev/null
same nothing "0 bytes, sum 0"

# A pipe that nobody closes: that the program waits for more is found out, twice.
mkfifo pipe
sleep 1000 >pipe &
sleeper=$!
fed --patience 1 <pipe
is "$status" 0 "endless pipe: replayed"
is "$(grep -c 'the program hangs' out)" 2 "endless pipe: both runs wait"
kill $sleeper

# What is recorded first is read first, and again.
cat numbers | timeout 60 foresee run -q --replay --trace run.foresee -o report ./input >out 2>err
has out "^$whole, x [12]\$" "run --replay: the recorded run has it"
has report '^   replayed: the order .* prints `.* bytes, sum .*, x 1`; .* prints `.* bytes, sum .*, x 2`$|x 2`; .* x 1`$' "run --replay: so have the replayed ones"
is "$(grep -o "$whole" report | wc -l)" 2 "run --replay: all of it"

# ---- what is left behind ----

foresee-cc -g -O1 -pthread "$SRC/tests/programs/replay/strays.c" -o strays || exit 2
# gone FILE NAME: none of the processes is there any more.
gone() {
	local pid left=0

	for pid in $(cat "$1"); do
		if kill -9 "$pid" 2>/dev/null; then left=$((left + 1)); fi
	done
	is "$left" 0 "$2: nothing goes on"
}
foresee record -q -o strays.foresee ./strays 3>pids || exit 2
kill -9 $(cat pids)
is "$(wc -l <pids)" 3 "recorded: leaves three processes"
run timeout 60 foresee replay strays.foresee 1 3>pids
is "$status" 0 "strays: replayed"
ok "strays: each run has made three" test $(($(wc -l <pids) % 3)) = 0 -a $(wc -l <pids) -ge 6
gone pids "strays"
run timeout 60 foresee replay --stop strays.foresee 1 3>pids
is "$status" 0 "stopped: replayed"
gone pids "stopped"
run timeout 60 foresee check -q --replay strays.foresee 3>pids
gone pids "check --replay"

# ended SIGNAL: while the program goes on for ever.
ended() {
	local pid i

	: >pids
	env --default-signal=INT,HUP foresee replay --time 300 strays.foresee 1 -- ./strays for ever >out 2>err </dev/null 3>pids &
	pid=$!
	for ((i = 0; i < 300 && $(wc -l <pids) < 3; i++)); do
		sleep 0.1
	done
	kill -$1 $pid
	{ wait $pid; } 2>/dev/null
	for ((i = 0; i < 100; i++)); do
		kill -0 $(cat pids) 2>/dev/null || break
		sleep 0.1
	done
	is "$(wc -l <pids)" 3 "SIG$1: there were three"
	gone pids "SIG$1"
}
ended INT
ended TERM
ended HUP
is "$(ls tmp)" "" "nothing is left behind"
ended KILL
done_testing
