#!/usr/bin/env bash
# The whole chain on recordings, held against itself: random programs and the kernels of the
# benchmark, recorded both ways.  All analyses agree as far as they must, with any number of jobs,
# on the recording and on its text; the checker accepts every schedule, `verify' every witness;
# a race-free program has no finding.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"
here=$SRC/tests/cli
long=${LONG:-${FORESEE_LONG:-}}
export TMPDIR=$TEST_DIR # where the checker leaves what it refuses

${CC:-gcc} -std=gnu11 -O1 -o gen "$SRC"/tests/gen/*.c || exit 2
# Places in text traces have no blanks, as the path of the sources may: so they are compiled from here.
cp "$SRC"/tests/gen/*.h "$SRC"/tests/programs/order.h "$SRC"/tests/perf/kernels/*.[ch] . || exit 2
${CC:-gcc} -std=gnu11 -O1 -o flatten "$here/flatten.c" || exit 2
${CC:-gcc} -O1 -c -o order.o "$SRC/tests/programs/order.c" || exit 2

configs=()
for v in $LLVMS; do
	configs+=("$v -O0" "$v -O2")
done

# build N SOURCE...: makes ./prog in configuration N, counted round.
build() {
	local config=${configs[$1 % ${#configs[@]}]}

	shift
	FORESEE_LLVM=${config% *} foresee-cc -w -std=gnu11 -g -fno-strict-aliasing -pthread "${config#* }" \
		"$@" -o prog >log 2>&1
}

complain() {
	echo "# $*" >>problems
}

# verdict NAME: passes unless there was a complaint.
verdict() {
	if [ -s problems ]; then
		fail "$1"
		head -20 problems
	else
		pass "$1"
	fi
	: >problems
}
: >problems

# check NAME TRACE OPTION...: leaves the report in NAME.flat.
check() {
	local name=$1 trace=$2

	shift 2
	timeout 120 foresee check -q -f json "$@" "$trace" >json 2>err </dev/null
	case $? in
	0 | 1 | 3) ;;
	*) complain "check $* $trace: status $?: $(head -c 300 err)" ;;
	esac
	[ -s err ] && complain "check $* $trace: says $(head -c 300 err)"
	./flatten <json >"$name.flat" 2>err || complain "check $* $trace: $(cat err)"
}

# column N NAME [OPTION]: of its findings, sorted.
column() {
	awk $3 -f "$here/findings.awk" "$2.flat" | cut -f "$1" | LC_ALL=C sort -u
}

# within A B WHAT: every line of A is in B.
within() {
	local more

	more=$(LC_ALL=C comm -23 "$1" "$2")
	[ -z "$more" ] || complain "$3: $(wc -l <<<"$more"), as ${more%%$'\n'*}"
}

is_complete() {
	grep -q '^\.truncated=\[\]$' "$1.flat"
}

# Places, not statuses: which of its schedules an analysis finds first decides if unseen code
# runs in it, and that makes a prediction a warning.
analyses_agree() {
	local a n

	check all "$1" -a hb,shb,syncp,osr,exact,races
	n=$(sed -n 's/^\.trace\.events=//p' all.flat)
	for a in shb syncp osr races strict; do
		check $a "$1" -a "${a/strict/races}" $([ $a = strict ] && echo --strict)
		column 5 $a >$a.places
	done
	check exact "$1" -a exact --window $((n + 1))
	column 5 exact >exact.places
	is_complete races || return
	for a in shb syncp osr exact strict; do
		within $a.places races.places "$a finds what races does not"
	done
	is_complete exact && within races.places exact.places "races finds what exact does not"
	return 0
}

# One pair of events for each pair of places, or all of them: of the same places, unless the
# engine says that it has not tried all.
pairs_agree() {
	local a

	for a in osr races; do
		check one "$1" -a $a
		check every "$1" -a $a --all-pairs
		column 5 one >one.places
		column 5 every >every.places
		within one.places every.places "$a: places that --all-pairs does not find"
		is_complete one && within every.places one.places "$a: places that only --all-pairs finds"
	done
	return 0
}

# timeless NAME: the report without what may differ.
timeless() {
	grep -Ev '^\.(trace\.path|.*seconds|.*events_per_second)=' "$1.flat"
}

jobs_agree() {
	check one "$1" -a hb,shb,syncp,osr,exact,races --jobs 1
	check four "$1" -a hb,shb,syncp,osr,exact,races --jobs 4
	cmp -s <(timeless one) <(timeless four) || complain "--jobs 4 says something else than --jobs 1"
	check one "$1" -a exact,races --budget 100 --jobs 1
	check four "$1" -a exact,races --budget 100 --jobs 4
	cmp -s <(timeless one) <(timeless four) || complain "--budget 100: --jobs 4 says something else"
}

# text_agrees TRACE COLUMNS OPTION...
text_agrees() {
	local trace=$1 columns=$2

	shift 2
	[ -e text.std ] || foresee print --std "$trace" >text.std || complain "print --std fails"
	check binary "$trace" "$@"
	check text text.std "$@"
	cmp -s <(column "$columns" binary -vshort=1) <(column "$columns" text -vshort=1) ||
		complain "$*: text says something else:" \
			"$(diff <(column "$columns" binary -vshort=1) <(column "$columns" text -vshort=1) | sed -n 2p)"
}

# Some witnesses, then the same ones damaged.  Not all of those are wrong: two events that have
# nothing to do with each other may change places (swapped), as often as the recorded order has such.
refused=0 certified=0 swapped=0
witnesses_hold() {
	local w how n

	rm -rf w
	check races "$1" --witness-dir w
	n=$(sed -n 's/^\.trace\.events=//p' races.flat)
	[ "$(ls w 2>/dev/null | wc -l)" = "$(grep -c '\.certified=true$' races.flat)" ] ||
		complain "not one witness for each finding that is certified"
	for w in $(ls w/*.witness 2>/dev/null | sort -V | awk 'NR % 5 == 1'); do
		run foresee verify "$1" "$w"
		[ $status = 0 ] || complain "$w: $(cat out err)"
		for how in drop swap target; do
			awk -v how=$how -v seed=$((++seed)) -v events="$n" -f "$here/damage.awk" "$w" >damaged
			run foresee verify "$1" damaged
			case $status in
			0) [ $how = swap ] && swapped=$((swapped + 1)) || certified=$((certified + 1)) ;;
			1) refused=$((refused + 1)) ;;
			*) complain "$w, damaged by $how: $(cat out err)" ;;
			esac
		done
	done
}

# record OPTION...: a recording of ./prog $scale in prog.foresee.
record() {
	rm -f prog.foresee text.std
	timeout 60 foresee record -q "$@" -o prog.foresee ./prog $scale >out 2>err </dev/null ||
		complain "does not record: $(head -c 300 err)"
}

# ---- random programs with races ----
scale=
for ((s = 1; s <= ${long:+24} + 5; s++)); do
	./gen --events 300 $s >prog.c
	build $s prog.c || complain "does not build: $(head -1 log)"
	for mode in '' --full; do
		record $mode
		analyses_agree prog.foresee
		pairs_agree prog.foresee
		jobs_agree prog.foresee
		text_agrees prog.foresee 1,2,3,5 -a hb,shb,races --all-pairs
		text_agrees prog.foresee 1,2,3,5 -a shb,wcp,races --all-pairs --strict
		text_agrees prog.foresee 5 -a exact,races
		witnesses_hold prog.foresee
		verdict "program $s $mode"
	done
done
echo "# witnesses damaged: $refused refused, $swapped swapped and $certified others still right"
is "$((refused > 20 * certified && refused > 50))" 1 "what is damaged is mostly refused"

# ---- with one possible order: what is left out by default adds no finding ----
# It may cost some: a read that is left out follows one of the same version, but at another place,
# and what happens between the two may be what lets the other thread come to its write.
found=0 fewer=0
for ((s = 1; s <= ${long:+20} + 6; s++)); do
	./gen --serial --events 400 $s >prog.c
	build $s prog.c order.o || complain "does not build: $(head -1 log)"
	record
	check default prog.foresee
	record --full
	check full prog.foresee
	column 5 default >default.places
	column 5 full >full.places
	within default.places full.places "found by default, not with --full"
	fewer=$((fewer + $(LC_ALL=C comm -13 default.places full.places | wc -l)))
	found=$((found + $(wc -l <full.places)))
	verdict "one order, program $s"
done
echo "# of $found pairs of places, $fewer with --full only"
is "$((found > 50 && fewer * 20 < found))" 1 "nearly all are found by default"

# ---- race-free ----
for ((s = 1; s <= ${long:+36} + 3; s++)); do
	./gen --clean --events 1000 $s >prog.c
	build $s prog.c || complain "does not build: $(head -1 log)"
	for ((i = 0; i < 10; i++)); do
		record $([ $((i % 3)) = 2 ] && echo --full)
		check clean prog.foresee -a hb,shb,wcp,syncp,osr,exact,races
		[ -z "$(column 5 clean)" ] || complain "recording $i: $(column 3,5 clean | head -3)"
	done
	verdict "race-free, program $s: ten recordings"
done

# ---- kernels ----
while read -r name scale races; do
	build 1 -O2 "$name.c" || complain "does not build: $(head -1 log)"
	for mode in '' --full; do
		record $mode
		analyses_agree prog.foresee
		jobs_agree prog.foresee
		text_agrees prog.foresee 5 -a hb,shb,races
		[ -n "$(column 5 binary)" ] && found=races || found=clean
		[ $found = $races ] || complain "is to be $races: $(column 3,5 binary | head -3)"
		verdict "$name $mode"
	done
done <<'END'
matmul 16 clean
prodcons 500 clean
bank 500 clean
hashtable 500 clean
racy 1000 races
msort 1000 clean
pipeline 60 clean
lfqueue 500 clean
rwcache 500 clean
stencil 1 clean
END
done_testing
