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

# --- the checker judges them by itself: the bank of the handbook, in which one sums while another transfers ---
printf '%s\n' '#fmt 1' 'T1|begin|1' 'T1|r(c)|2' 'T2|begin|3' 'T2|r(c)|4' 'T2|w(c)=50|5' 'T1|r(s)|6' 'T1|end|7' 'T2|r(s)|8' \
	'T2|w(s)=150|9' 'T2|end|10' >bank.txt
cat >bank.spec <<'END'
shared int c = 100; shared int s = 100;
property atom: mttl @any(block > 0 -> !some(o : any, @o.@any.block == block));
END
# witness ORDER
witness() {
	printf 'witness 1\nkind property:atom\ntarget 6\nrelaxed 6\nmodel strict\norder\n%s\n' "$1" >bank.witness
	run foresee verify -s bank.spec bank.txt bank.witness
}
witness '1 2 3 4 5 8 9 6'
is "$status" 0 "a witness: T1 hears of its own block, by what T2 has written since"
has out '^certified: property atom violated at event 6' "is certified"
has out '^property atom: mttl @any' "with the formula"
witness '1 2 3 4 5 6'
is "$status" 1 "as recorded"
has out "not certified: .*'atom' holds here" "it holds"

# --- in runs that did not happen: the other order of two sections, whose order the tool cannot see ---
${CC:-cc} -O1 -c -o order.o "$SRC/tests/programs/order.c" || exit 2
cat >swap.c <<'C'
#include <foresee.h>
#include <pthread.h>
#include <semaphore.h>
#include "order.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t told;
static void *one(void *arg)
{
	order_see(0);
	pthread_mutex_lock(&m); /* swapped */
	pthread_mutex_unlock(&m);
	if (arg)
		sem_post(&told);
	order_at(0);
	return arg;
}
static void *two(void *arg)
{
	order_see(1);
	if (arg)
		sem_wait(&told);
	FORESEE_INTERNAL("busy", 1);
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	FORESEE_INTERNAL("busy", 0);
	order_at(1);
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t a, b;

	sem_init(&told, 0, 0);
	pthread_create(&a, 0, one, argc > 1 ? argv : 0);
	pthread_create(&b, 0, two, argc > 1 ? argv : 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
C
foresee-cc -g -O1 -pthread -I"$SRC/tests/programs" swap.c order.o -o swap || exit 2
echo 'local int busy = 0; thread one = "one"; thread two = "two"; property calm: mttl @one(@two.busy == 0);' >swap.spec
timeout 60 foresee record -q -o swap.foresee ./swap
run foresee check -s swap.spec --witness-dir proofs swap.foresee
is "$status" 1 "what a thread would know, had another come first"
has out '^1  property calm violated +predicted, certified$' "is predicted"
has out 'T2  lock +m +swap\.c:10 in one' "where it would hear of it"
has out '^ +[0-9]+ +unlock m +:24$' "with the run"
run foresee verify swap.foresee proofs/1.witness
is "$status" 0 "its witness is good"
run foresee check -q -s swap.spec -f json swap.foresee
has out '"status": "predicted".*"property": "calm"' "JSON has it"
run foresee replay -s swap.spec swap.foresee 1
has err 'is about what threads know, and a replay does not look at that' "a replay would not look at it"
run timeout 60 foresee guard -q -s swap.spec ./swap
is "$(cat err)" "" "the run itself is as it should be"
timeout 60 foresee record -q -o swap.foresee ./swap told
run foresee check -s swap.spec swap.foresee
is "$status $(grep -c violated out)" "0 0" "where a semaphore keeps it from coming first it is not predicted"
done_testing
