#!/usr/bin/env bash
# SPIN searches the exported model of a trace through and reaches exactly the races that `exact'
# reports and the deadlocks of locks that `deadlocks' does: on the golden cases and on random traces, by
# both models.
#
# One search answers for all goals of a trace: they print when they are first reached.
# LONG=1: more random traces.
. "$(dirname "$0")/../lib.sh"

command -v spin >/dev/null || skip_all "no spin"
command -v gcc >/dev/null || skip_all "no gcc"

# reached OPTIONS...: the races and deadlocks that SPIN finds in t.std.
reached() {
	foresee export -q --to promela "$@" t.std >m.pml && spin -a m.pml >spin.out &&
		gcc -O0 -w -DSAFETY -DNOREDUCE -o pan pan.c && ./pan -E -w18 -m100000 >pan.out || return 1
	# Anything else than a whole search proves nothing.
	grep -q 'errors: 0' pan.out && ! grep -q 'Search not completed' pan.out || return 1
	grep -E '^(race|deadlock) ' pan.out | sort
}

engines() {
	foresee check -q -a exact,deadlocks --all-pairs "$@" -f json t.std >json
	[ $? -le 1 ] && awk -f "$SRC/tests/cases/pairs.awk" json |
		awk '($4 == "race" || $4 == "deadlock") && $2 ~ /-/ { print $4, $2 }' | sort
}

# compare NAME OPTIONS...
compare() {
	local name=$1
	shift
	if reached "$@" >spin.pairs 2>err && engines "$@" >engines.pairs 2>>err; then
		same engines.pairs spin.pairs \
			"$name${1:+ $1}: $(grep -c race spin.pairs) races, $(grep -c deadlock spin.pairs) deadlocks"
	else
		fail "$name: no answer"
		note err
		note pan.out
	fi
}
try() {
	compare "$1"
	! grep -q '~' t.std || compare "$1" --strict
}

for file in "$SRC"/tests/cases/{races,deadlocks}/*.case; do
	[ -f "$file" ] || continue
	sed -n 's/^  //p' "$file" >t.std
	try "$(basename "$file" .case)"
done

gcc -O1 -I"$SRC/tests/unit" -o random "$SRC"/tests/spin/random.c \
	"$SRC"/tests/unit/tiny{,_random}.c || fail "random traces"
traces=24 gained=0
[ -z "${LONG-}" ] || traces=500
for seed in $(seq $traces); do
	./random $seed >t.std
	try "random trace $seed"
	if [ $((seed % 2)) = 0 ]; then
		./random $seed locks >t.std
		try "random locks $seed"
	else
		./random $seed counts >t.std
		try "random semaphores and failed tries $seed"
	fi
	if [ $((seed % 4)) = 0 ]; then
		./random $seed rereads >t.std
		try "random repeated reads $seed"
	fi
	./random $seed tests >t.std
	try "random comparisons $seed"
	sed -Ei 's,~?[:?](eq|ne|lt|le|gt|ge):[0-9]+,,g' t.std
	engines >bound.pairs
	gained=$((gained + $(./random $seed tests >t.std; engines | comm -23 - bound.pairs | wc -l)))
done
[ $gained -gt 0 ] && pass "$gained pairs because comparisons come out the same" ||
	fail "no comparison decides anything"

# Recordings too.
if [ -x "$FORESEE_ROOT/bin/foresee-cc" ]; then
	if foresee-cc -g -O1 -pthread "$SRC/tests/cases/std/two_threads.c" -o prog 2>err &&
		foresee record -q -o t.foresee ./prog >/dev/null 2>>err; then
		mv t.foresee t.std
		compare "a recording"
		compare "a recording" --strict
	else
		fail "a recording"
		note err
	fi
fi

# A single goal: the assertion fails where there is a race, and only there.
printf '%s\n' 'T1|w(y)|1' 'T1|acq(m)|2' 'T1|rel(m)|3' 'T2|acq(m)|4' 'T2|rel(m)|5' 'T2|w(y)|6' >t.std
foresee export --to promela t.std >all.pml
foresee export --to promela --pair 6,1 t.std >one.pml
for model in "-DGOAL_1_6 all.pml" one.pml; do
	spin -a $model >spin.out && gcc -O0 -w -DSAFETY -DNOREDUCE -o pan pan.c && ./pan -E >pan.out
	has pan.out 'errors: 1' "spin -a $model: the race is an error"
done
printf '%s\n' 'T1|acq(l)|1' 'T1|acq(m)|2' 'T1|rel(m)|3' 'T1|rel(l)|4' 'T2|acq(m)|5' 'T2|acq(l)|6' >t.std
foresee export --to promela t.std >all.pml
foresee export --to promela --pair 2,6 t.std >one.pml
for model in "-DGOAL_2_6 all.pml" one.pml; do
	spin -a $model >spin.out && gcc -O0 -w -DSAFETY -DNOREDUCE -o pan pan.c && ./pan -E >pan.out
	has pan.out 'errors: 1' "spin -a $model: the deadlock is an error"
done
printf 'T1|w(y)|1\nT1|fork(T2)|2\nT2|w(y)|3\n' >t.std
foresee export --to promela --pair 1,3 t.std >none.pml
spin -a none.pml >spin.out && gcc -O0 -w -DSAFETY -DNOREDUCE -o pan pan.c && ./pan -E >pan.out
has pan.out 'errors: 0' "where there is no race there is no error"
done_testing
