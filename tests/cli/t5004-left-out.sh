#!/usr/bin/env bash
# What the recorder leaves out takes little from what is found, and adds nothing: programs whose threads
# race in the same order in every run, recorded as usual and with --full.  A pair of places can be lost, for
# what a loop repeats has one event, and the records around it bind its run of reads as one; what is
# found without it must be found with it.  LONG=1: 500 programs.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"
[ -n "$LLVMS" ] || skip_all "no pass was built"
llvms=($LLVMS)
programs=${LONG:+500}
programs=${programs:-12}

gcc -std=gnu11 -O1 -Wall -o turns "$SRC/tests/gen/turns/turns.c" || exit 2

# found: variable and two lines of each race in t.foresee that is predicted.
found() {
	foresee check -q -a races -f json t.foresee 2>err |
		grep -o '"summary": "data race on [^"]*(predicted, certified)"' |
		sed 's/.*data race on \([^,]*\), p\.c:\([0-9]*\) .* p\.c:\([0-9]*\) .*/\1 \2 \3/' |
		awk '{ print $1, $2 < $3 ? $2 " " $3 : $3 " " $2 }' | sort -u
}

# records HOW: findings into HOW; says what is wrong.
records() {
	rm -f t.foresee
	timeout 60 foresee record -q ${2-} -o t.foresee ./p 2>err || echo "seed $seed, $1: status $?"
	foresee verify t.foresee >verified 2>&1
	grep -q '^consistent: .* 0 unknown' verified || sed "s/^/seed $seed, $1: /" verified
	found >$1
}

# variables FILE: those that are in it.
variables() { cut -d' ' -f1 "$1" | sort -u; }

all=0 lost=0 seen=0 missed=0
: >wrong
: >gained
for ((seed = 1; seed <= programs; seed++)); do
	./turns $seed >p.c
	FORESEE_LLVM=${llvms[$((seed % ${#llvms[@]}))]} foresee-cc -g -O0 -w -pthread -o p p.c 2>err ||
		{ note err && exit 2; }
	{
		records usual
		records full --full
	} >>wrong
	comm -23 usual full | sed "s/^/seed $seed: /" >>gained
	variables usual >v.usual
	variables full >v.full
	all=$((all + $(wc -l <full))) lost=$((lost + $(comm -13 usual full | wc -l)))
	seen=$((seen + $(wc -l <v.full))) missed=$((missed + $(comm -13 v.usual v.full | wc -l)))
done
is "$(cat wrong)" "" "$programs programs are recorded exactly, both ways"
is "$(cat gained)" "" "nothing is found that a full recording does not have"
ok "$lost of $all pairs of places are lost, at most one and one in a thousand" \
	test $lost -le $((1 + all / 1000)) -a $all -ge $((programs * 20))
is "$missed" 0 "of $seen racing variables none is lost"
done_testing
