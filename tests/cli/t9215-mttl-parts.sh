#!/usr/bin/env bash
# Properties about what threads know are about the run from its start: they are judged of the whole of it, or not at
# all, which is said.
. "$(dirname "$0")/../lib.sh"
cat >p.c <<'C'
#include <foresee.h>
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile long n;
static int rounds;
static void *work(void *arg)
{
	for (int i = 0; i < rounds; i++) {
		pthread_mutex_lock(&m);
		n = n + 1;
		pthread_mutex_unlock(&m);
	}
	FORESEE_EVENT("over");
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t;

	rounds = argc > 1 ? atoi(argv[1]) : 20000;

	pthread_create(&t, 0, work, 0);
	work(0);
	pthread_join(t, 0);
	return 0;
}
C
foresee-cc -g -O1 -pthread p.c -o p || exit 2
echo 'event over = user(over); property p: mttl @any(!over());' >p.spec
FORESEE_CUT=20000 run timeout 100 foresee record -q -o p.foresee ./p
part='properties about what threads know \(mttl\) are judged on whole runs; of this one a part was read'
# judged DESCRIPTION COUNT [OPTIONS]: so many findings; the report is in flat.
judged() {
	run timeout 300 foresee check -s p.spec -f json "${@:3}" "$trace"
	foresee check -q -s p.spec "${@:3}" "$trace" >told 2>&1
	is "$(grep -o '"analysis": "mttl"' out | wc -l)" "$2" "$1"
}
trace=p.foresee
judged "as a whole" 1
hasnt told "$part" "it is all there"
export FORESEE_MEMORY=1
judged "read in parts: judged as a whole" 1
has out 'too long to fit in memory at once' "(it was read in parts)"
hasnt told "$part" "and nothing is missing"
unset FORESEE_MEMORY
judged "cuts: not judged" 0 --cuts 2:3
has told "$part" "which is said"
FORESEE_CUT=20000 run timeout 100 foresee record -q --keep 4M -o late.foresee ./p 400000
trace=late.foresee
judged "without its beginning: not judged" 0
has told "$part" "which is said, too"
done_testing
