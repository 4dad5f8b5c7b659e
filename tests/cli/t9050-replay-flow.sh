#!/usr/bin/env bash
# `run --replay' and `check --replay' where nobody looks on: requests to stop, programs that print a lot,
# write files, read, go into the background; what cannot be replayed at all.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

mkdir tmp && export TMPDIR=$TEST_DIR/tmp
cat >flow.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static int a, b, c;
static void *f(void *arg) { a = 1; b = 1; c = 1; return arg; }
int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	pthread_t t;

	if (!strcmp(how, "file")) {
		if (access("made", F_OK) == 0)
			return 7;
		fclose(fopen("made", "w"));
	}
	if (!strcmp(how, "background") && fork() != 0)
		_exit(0);
	pthread_create(&t, NULL, f, NULL);
	a = 2; b = 2; c = 2;
	pthread_join(t, NULL);
	while (!strcmp(how, "loud") && access("quiet", F_OK) != 0)
		puts("and so on and so on and so on");
	if (!strcmp(how, "wait") && access("long", F_OK) == 0) {
		fclose(fopen("reached", "w"));
		sleep(1000);
	}
	return 0;
}
END
foresee-cc -g -O1 -pthread flow.c -o flow || exit 2
${CC:-cc} -O1 -o flatten "$SRC/tests/cli/flatten.c" || exit 2

# counted LABEL FILE: findings that are called so.
counted() {
	grep -c "^ *[0-9]*  data race on .* $1\$" "$2"
}

run timeout 100 foresee run -q -f json --replay --trace plain.foresee -o report ./flow
./flatten <report >flat
is "$(grep -c '^\.findings\.[0-9]*\.status="replayed"$' flat)" 3 "JSON: all replayed"
is "$(grep -c '^\.findings\.[0-9]*\.replay="the order .*"$' flat)" 3 "JSON: with the difference"

# Ctrl-C, or a time limit of somebody else's: a report of what there is.
run foresee record -q -o wait.foresee ./flow wait
touch long
env --default-signal=INT foresee check --replay wait.foresee >out 2>err </dev/null &
pid=$!
for ((i = 0; i < 600; i++)); do
	[ -e reached ] && break
	sleep 0.1
done
kill -INT $pid
wait $pid
is "$?" 1 "stopped: findings are reported"
is "$(grep -c '^foresee: replaying finding' err)" 1 "stopped: no other is tried"
is "$(counted replayed out)" 1 "stopped: what was reached is said"
is "$(grep -c '^   not replayed: stopped on request$' out)" 2 "stopped: the others stay predicted"
is "$(ls tmp)" "" "stopped: nothing is left behind"
rm -f long reached

# The second run finds what the first has written.
run foresee record -q -o file.foresee ./flow file
rm -f made
run timeout 60 foresee replay file.foresee 1
is "$status" 0 "files: replayed"
has out 'the point was not reached a second time: (the program ended with status 7|T1 .* the thread ended)' "files: only once"
run timeout 60 foresee replay file.foresee 1
is "$status" 1 "files of an earlier run: not replayed"
has out 'the program ended with status 7|and the thread ended' "files of an earlier run: says how"

# It prints for ever.
touch quiet
run foresee record -q -o loud.foresee ./flow loud
rm quiet
run timeout 60 foresee replay --time 1 loud.foresee 1
is "$status" 0 "loud: replayed"
is "$(grep -c 'has not ended after 1 s' out)" 2 "loud: both run on"

# What is no run of the program from its start.
ok "background: recorded" foresee record -q --follow-fork -o back.foresee ./flow background
run timeout 60 foresee replay back.foresee 1
is "$status" 2 "background: refused"
has err '^foresee: the recording went on with a child of the program \(--follow-fork\)' "background: says why"
run timeout 60 foresee check -q --replay back.foresee
is "$(counted 'predicted, certified' out)" 3 "background: stays predicted"
has out 'not replayed: the recording went on with a child' "background: the report says why"
chmod u+s flow
run timeout 60 foresee replay plain.foresee 1
is "$status" 125 "setuid: refused"
has err 'is setuid or setgid' "setuid: says why"
rm flow
run timeout 60 foresee check -q --replay plain.foresee
is "$status" 1 "gone: findings"
is "$(grep -c "not replayed: the recorded program '.*/flow' is not there any more" out)" 3 "gone: each says why"
is "$(ls tmp)" "" "nothing is left behind"
done_testing
