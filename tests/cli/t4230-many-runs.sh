#!/usr/bin/env bash
# run -n: many runs, one report; what is new in each, which traces stay, when it is enough.
. "$(dirname "$0")/../lib.sh"

# Which race there is, if any, depends on how often it has run.
cat >turns.c <<'END'
#include <pthread.h>
#include <stdio.h>
static int first, second;
static int turn;
static void *work(void *arg)
{
	if (turn == 2 || turn == 4)
		first++;
	if (turn == 4)
		second++;
	return arg;
}
int main(void)
{
	pthread_t a, b;
	FILE *f = fopen("count", "a+");
	fputc('x', f);
	fflush(f);
	turn = (int)ftell(f);
	fclose(f);
	pthread_create(&a, 0, work, 0);
	pthread_create(&b, 0, work, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
END
foresee-cc -g -O1 -pthread turns.c -o turns || exit 2

run foresee run -n 6 ./turns
is "$status" 1 "six runs: status"
is "$(wc -c <count)" 6 "it was run six times"
has out '^6 runs, [23] findings: run 2 found [12], run 4 1 more; nothing new in the last 2$' "what each has added"
has out '^   first seen in run 2 of 6: turns\.2\.foresee$' "where the first was seen"
has out '^   first seen in run 4 of 6: turns\.4\.foresee$' "where the second was seen"
has err '^foresee: run 1 of 6: nothing new$' "progress"
is "$(echo *.foresee)" "turns.2.foresee turns.4.foresee" "traces with news stay"
run foresee check turns.4.foresee
has out 'data race on .*second' "they show what was said"

rm -f count ./*.foresee
run foresee run -q -n 6 -f json -o all.json ./turns
is "$status" 1 "json: status"
has all.json '"runs": \[0, [12], 0, 1, 0, 0\]' "json: what each has added"
has all.json '"id": 1, "run": [24], "trace": "turns\.[24]\.foresee", "kind": "race"' "json: a finding has its run"
rm -f count
run foresee run -q -n 6 --baseline all.json -f gcc ./turns
is "$status" 0 "a report of many runs is a baseline"
is "$(cat out)" "" "and nothing is new"

rm -f count ./*.foresee
run foresee run -q --until-quiet 2 ./turns
is "$status" 1 "until quiet: status"
is "$(wc -c <count)" 6 "until two in a row have nothing new"
rm -f count
run foresee run -q -n 3 --until-quiet 5 ./turns
is "$(wc -c <count)" 3 "but no more than -n"
rm -f count
run foresee run -q -n 1 ./turns
is "$status" 0 "nothing found in one run"
run foresee run -q -n 0 ./turns
is "$status" 2 "-n 0: refused"
run foresee run -q -n 2 --witness-dir w ./turns
is "$status" 2 "proofs are of one run"
run foresee run -q -n 3 ./nothere
is "$status" 2 "no program"
is "$(grep -c . err)" 1 "said once"
rm -f count
run foresee run -q -n 3 turns.c
is "$(wc -c <count)" 3 "source is compiled once and run three times"
done_testing
