#!/usr/bin/env bash
# What the recorder leaves out takes nothing, or little, from what is found, and adds nothing: programs whose threads
# race in the same order in every run, recorded as usual and with --full.  Nothing is lost where loops
# repeat one thing, few times; a pair of places can be where they repeat more than the recorder has to
# spare (capture/filter.h), for a repeated read is no target then, and the records around it bind its run as one.  What is
# found without it must be found with it.  LONG=1: 500 programs.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"
[ -n "$LLVMS" ] || skip_all "no pass was built"
llvms=($LLVMS)

gcc -std=gnu11 -O1 -Wall -o turns "$SRC/tests/gen/turns/turns.c" || exit 2

# found: variable and two lines of each race in t.foresee that is predicted.
found() {
	foresee check -q -a races -f json t.foresee 2>err |
		grep -o '"summary": "data race on [^"]*(predicted, certified)"' |
		sed 's/.*data race on \([^,]*\), p\.c:\([0-9]*\) .* p\.c:\([0-9]*\) .*/\1 \2 \3/' |
		awk '{ print $1, $2 < $3 ? $2 " " $3 : $3 " " $2 }' | sort -u
}

# records HOW [OPTION]: findings into HOW; says what is wrong.
records() {
	rm -f t.foresee
	timeout 60 foresee record -q ${2-} -o t.foresee ./p 2>err || echo "seed $seed, $1: status $?"
	foresee verify t.foresee >verified 2>&1
	grep -q '^consistent: .* 0 unknown' verified || sed "s/^/seed $seed, $1: /" verified
	found >$1
}

# variables FILE: those that are in it.
variables() { cut -d' ' -f1 "$1" | sort -u; }

# compare PROGRAMS [ROUNDS]: counts what is found and what is lost.
compare() {
	all=0 lost=0 seen=0 missed=0 of="$1 programs${2:+, of up to $2 rounds}"
	: >wrong
	: >gained
	for ((seed = 1; seed <= $1; seed++)); do
		./turns $seed $2 >p.c
		FORESEE_LLVM=${llvms[$((seed % ${#llvms[@]}))]} foresee-cc -g -O0 -w -pthread -o p p.c 2>err ||
			{ note err && exit 2; }
		{
			records usual
			records full --full
		} >>wrong
		comm -23 usual full | sed "s/^/seed $seed: /" >>gained
		comm -13 usual full | sed "s/^/# lost, seed $seed: /"
		variables usual >v.usual
		variables full >v.full
		all=$((all + $(wc -l <full))) lost=$((lost + $(comm -13 usual full | wc -l)))
		seen=$((seen + $(wc -l <v.full))) missed=$((missed + $(comm -13 v.usual v.full | wc -l)))
	done
	is "$(cat wrong)" "" "$of: recorded exactly, both ways"
	is "$(cat gained)" "" "$of: nothing is found that a full recording does not have"
	ok "there are $all pairs of places to find" test $all -ge $(($1 * 15))
}

# The smallest: who reads `done' has seen two rounds at least, so of the reads of `level' only a later one than the
# first races with the write: one that repeats what its thread has read.
cat >rounds.c <<'END'
#include <pthread.h>
#include "order.h"

static _Alignas(64) int level;
static _Alignas(64) int done;

static void *rounds(void *arg)
{
	long sum = 0;

	for (int i = 0; i < 3; i++) {
		sum += level;
		done = i + 1;
	}
	order_at(0);
	return (char *)arg + sum;
}

static void *raises(void *arg)
{
	order_at(1);
	if (done >= 2)
		level = 1;
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, rounds, NULL);
	pthread_create(&u, NULL, raises, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
END
${CC:-cc} -O1 -c -o order.o "$SRC/tests/programs/order.c" || exit 2
foresee-cc -g -O0 -pthread -I"$SRC/tests/programs" -o rounds rounds.c order.o || exit 2
run foresee record -q -o rounds.foresee ./rounds
run foresee check -q -a races -f json rounds.foresee
has out 'race on level, rounds.c:12 in rounds and rounds.c:23 in raises' "a race with a read that a loop repeats is found"
run env ORDER_OFF= foresee check -a races --replay rounds.foresee
has out 'data race on level .* replayed' "and replayed"

few=4 # loops, of so many rounds or fewer
many=24

if [ -n "${LONG:-}" ]; then
	plain=500 short=200 long=60
else
	plain=10 short=6 long=4
fi
compare $plain
is "$lost" 0 "of $all pairs of places none is lost"
is "$missed" 0 "of $seen racing variables none is lost"
compare $short $few
ok "$lost of $all pairs of places are lost, at most one in a thousand" test $lost -le $((1 + all / 1000))
is "$missed" 0 "of $seen racing variables none is lost"
compare $long $many
ok "$lost of $all pairs of places are lost, at most one in a hundred" test $lost -le $((1 + all / 100))
done_testing
