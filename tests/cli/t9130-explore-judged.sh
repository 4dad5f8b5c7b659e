#!/usr/bin/env bash
# Runs that end well, and are judged by a command of the user's; and a directory for each of them.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

mkdir tmp && export TMPDIR=$TEST_DIR/tmp

# A sum that goes to standard output and to a file that must not be there before; slow: it then waits.
cat >sum.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int sum;
#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#endif

static void *add(void *arg)
{
	int was;
#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
	was = sum;
	sum = was + 1;
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t[2];
	FILE *file;

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	if (argc > 1 && strcmp(argv[1], "hostile") == 0) {
		mkdir("a", 0700);
		mkdir("a/b", 0700);
		fclose(fopen("a/b/file", "w"));
		chmod("a/b", 0);
		chmod("a", 0);
	}
	if (argc > 1 && strcmp(argv[1], "away") == 0) {
		char here[4096];

		if (getcwd(here, sizeof(here)))
			rmdir(here);
		return 0;
	}
	file = fopen("sum", "wx");
	if (!file)
		return 3;
	fprintf(file, "%d\n", sum);
	fclose(file);
	printf("sum %d\n", sum);
	fprintf(stderr, "done\n");
	return argc > 1 && strcmp(argv[1], "five") == 0 ? 5 : 0;
}
END
foresee-cc -g -O1 -pthread sum.c -o sum && foresee-cc -g -O1 -pthread -DFIXED sum.c -o sum.good || exit 2

explore() {
	run timeout 300 foresee explore -q --time 200 "$@"
	is "$(ls tmp)" "" "nothing is left in the temporary directory: $*"
}
two='read -r _ n <"$FORESEE_STDOUT" && test "$n" = 2 || { echo "it is $n"; cat "$FORESEE_STDERR"; exit 9; }'

# ---- without a directory of their own the second run finds the first one's file
mkdir shared
cd shared
run timeout 300 foresee explore -q ../sum.good
is "$status" 1 "shared file: found"
has out '^1  status 3, in a schedule of' "shared file: how"
has out '^the program writes files: all runs share them; --sandbox gives each a directory of its own$' "shared file: is said"
is "$(cat sum)" 2 "shared file: it is left where the program ran"
cd ..

explore --sandbox ./sum.good
is "$status" 0 "sandbox: explored to the end"
has out '^the program writes files: those that it names by where it stands are each run.s own, all others' "sandbox: what is not covered is said"
explore --sandbox -f json ./sum.good
has out '"files": *true' "sandbox, json: files"
has out '"sandbox": *true' "sandbox, json: sandbox"
explore --sandbox ./sum.good hostile
is "$status" 0 "sandbox: directories that forbid everything are removed"
explore --sandbox ./sum.good away
is "$status" 0 "sandbox: a run may remove its own"
(cd tmp && mkdir deep && TMPDIR=deep foresee explore -q --sandbox ../sum.good >../out 2>&1)
is "$?" 0 "sandbox: a TMPDIR that does not begin at the root"
rmdir tmp/deep
is "$?" 0 "sandbox: and nothing is left there"

# ---- an oracle
explore --sandbox --oracle "$two" ./sum.good
is "$status" 0 "oracle: no fault in what is right"
has out ': no failure; these are all' "oracle: explored to the end"
explore --sandbox --oracle "$two" ./sum
is "$status" 1 "oracle: found"
has out '^1  the oracle finds fault, in a schedule of [0-9]+ steps with 1 preemption$' "oracle: with one preemption"
has out '^  the oracle said:$' "oracle: what it said is shown"
has out '^    it is 1$' "oracle: standard output is known to it"
has out '^    done$' "oracle: and standard error"
run foresee replay sum.schedule
is "$status" 0 "oracle: replayed"
has out '^the oracle finds fault, in a schedule' "oracle: asked again"
has out '^sum 1$' "oracle: the output of the program comes as well"
has err '^done$' "oracle: and what it says besides"
explore --sandbox --oracle "$two" -f json ./sum
has out '"oracle": *"it is 1\\u000adone\\u000a"' "oracle, json: what it said"
has out '"outcome": *"the oracle finds fault"' "oracle, json: outcome"

# In the directory of the run, with its status.
explore --sandbox --expect-status 5 --oracle 'test "$FORESEE_STATUS" = 5 && grep -qx 2 sum' ./sum.good five
is "$status" 0 "oracle: where the run was, and its status"
explore --sandbox --oracle 'exit 1' ./sum.good five
has out '^1  status 5, ' "oracle: not asked when the status is wrong"
cd shared
rm sum
run timeout 300 foresee explore -q --oracle 'rm sum; exit 1' ../sum.good
has out '^1  the oracle finds fault' "oracle: where we stand, without a directory"
has out '^  the oracle said nothing$' "oracle: that says nothing"
cd ..

# The order of output is one of steps.
cat >order.c <<'END'
#include <pthread.h>
#include <stdio.h>
static void *say(void *arg) { printf("%s\n", (const char *)arg); return NULL; }
int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, say, "a");
	pthread_create(&t[1], NULL, say, "b");
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
END
foresee-cc -g -O1 -pthread order.c -o order || exit 2
explore --strategy dpor --oracle 'test "$(head -n 1 "$FORESEE_STDOUT")" = a' ./order
has out '^1  the oracle finds fault' "order: found by partial orders"
explore --strategy dpor --oracle 'test "$(sort "$FORESEE_STDOUT" | tr -d "\n")" = ab' ./order
has out ': no failure; these are all that make a difference, 2 orders$' "order: both are run"

# ---- oracles that are none
explore --oracle '/nowhere/oracle' ./order
is "$status" 2 "no such command: trouble"
has err "^foresee: the oracle '/nowhere/oracle' cannot be run, status 127: .*not found" "no such command: is said"
explore --oracle 'kill -SEGV $$' ./order
is "$status" 2 "killed: trouble"
has err '^foresee: the oracle .* was killed by signal 11$' "killed: is said"
explore --oracle 'if then' ./order
is "$status" 1 "what sh cannot read finds fault"
has out '^    sh: .*[Ss]yntax error' "what sh cannot read: it is shown why"
run foresee explore --oracle "$(printf 'true\ntrue')" ./order
is "$status" 2 "two lines: refused"
has err 'the command of --oracle must be one line' "two lines: why"
run foresee explore --oracle
is "$status" 2 "no command: refused"
run foresee explore --sandbox=yes ./order
is "$status" 2 "a value for --sandbox: refused"

# ---- stopped in the middle
stopped() {
	local pid i

	env --default-signal=INT foresee explore -q --time 200 --all --sandbox "$@" >out 2>err </dev/null &
	pid=$!
	for ((i = 0; i < 200; i++)); do
		compgen -G 'tmp/*/sandbox*' >/dev/null && break
		sleep 0.1
	done
	sleep 0.3
	kill -INT $pid
	{ wait $pid; } 2>/dev/null
	status=$?
	is "$(ls tmp)" "" "stopped: nothing is left behind: $*"
}
stopped --strategy random --oracle "sleep 77.25" ./order
is "$status" 3 "stopped in an oracle: status"
has out '^it was stopped before its end$' "stopped in an oracle: is said"
hasnt out 'finds fault' "stopped in an oracle: nobody is accused"
is "$(pgrep -f '^sleep 77.25')" "" "stopped in an oracle: it is gone"
done_testing
