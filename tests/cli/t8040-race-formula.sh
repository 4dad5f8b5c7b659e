#!/usr/bin/env bash
# Races by formula: foresee spec --library races writes a property for each variable and pair of
# threads, and what it finds is what `races' finds, where it must; never more.
. "$(dirname "$0")/../lib.sh"
${CC:-cc} -O1 -o flatten "$SRC/tests/cli/flatten.c" || exit 2

# ordered: of two threads the smaller first, each line once.
ordered() {
	awk '{ print $1, ($2 < $3 ? $2 " " $3 : $3 " " $2) }' | sort -u
}

# by_formula: variables and threads with a race in t.std, as "x T1 T2".
by_formula() {
	foresee spec --library races t.std >races.spec 2>err || return 2
	grep -q '^property' races.spec || return 0
	foresee check -q -a property -s races.spec -f json t.std >json 2>>err
	[ $? -le 1 ] && ./flatten <json >flat || return 2
	grep -q '^\.truncated=\[\]' flat || return 2
	! grep -q '\.status="warning"' flat || return 2
	sed -nE 's/^\.findings\.[0-9]*\.property="race_(.*)_(T[0-9]+)_(T[0-9]+)"/\1 \2 \3/p' flat | ordered
}

# by_races: the same by the analysis of races, every pair.
by_races() {
	foresee check -q -a races --all-pairs --strict -f json t.std >json 2>err
	[ $? -le 1 ] && ./flatten <json | awk -F= '
		{ gsub(/"/, "") }
		$1 ~ /^\.findings\.[0-9]+\.threads\.0$/ { one = $2 }
		$1 ~ /^\.findings\.[0-9]+\.threads\.1$/ { other = $2 }
		$1 ~ /^\.findings\.[0-9]+\.object$/ { print $2, one, other }' | ordered
}

# agree NAME: both find the same.
agree() {
	if by_formula >formula && by_races >races; then
		same formula races "$1: the formula finds the $(wc -l <races) that races finds"
	else
		fail "$1: no answer"
		note err
	fi
}

# within NAME: what the formula finds, races finds too.
within() {
	if by_formula >formula && by_races >races; then
		is "$(comm -23 formula races)" "" "$1: $(wc -l <formula) by formula, of $(wc -l <races)"
	else
		fail "$1: no answer"
		note err
	fi
}

trace() {
	printf '%s\n' "$@" >t.std
}

trace 'T1|w(x)|1' 'T2|r(x)|2'
agree "write, then read"
trace 'T1|w(x)|1' 'T2|w(x)|2'
agree "two writes"
trace 'T1|r(x)|1' 'T2|r(x)|2'
agree "two reads"
trace 'T1|w(z)|1' 'T1|acq(l)|2' 'T1|w(x)|3' 'T1|rel(l)|4' 'T2|acq(l)|5' 'T2|w(y)|6' 'T2|rel(l)|7' 'T2|w(z)|8'
agree "a race behind unrelated sections"
is "$(cat formula)" "z T1 T2" "that is z's"
trace 'T1|w(x)|1' 'T1|fork(T2)|2' 'T2|w(x)|3'
agree "a fork between"
trace 'T1|acq(l)|1' 'T1|w(x)|2' 'T1|rel(l)|3' 'T2|acq(l)|4' 'T2|w(x)|5' 'T2|rel(l)|6'
agree "a common lock"
printf '#fmt 1\nT1|seminit(s:0)|1\nT1|fork(T2)|1\nT1|w(x)|1\nT1|sempost(s)|2\nT2|semwait(s)|3\nT2|w(x)|4\n' >t.std
agree "a semaphore between: every event is a step"

# Two blocks of write and read: the writes are never adjacent, though they race; that is the limit.
trace 'T1|w(x)|1' 'T1|r(x)|2' 'T2|w(x)|3' 'T2|r(x)|4'
agree "two blocks of x: the pair of threads is found"
foresee check -q -a property -s races.spec -f json t.std >json
is "$(./flatten <json | sed -n 's/^\.findings\.0\.events\.0=//p')" 3 "by read 2 and write 3"
cat >pair.spec <<'END'
shared int x;
event w = write(x);
event every = any();
relevant every;
property two_writes step event: ptltl w() && tid == 2 -> !prev(w() && tid == 1);
property back step event: ptltl w() && tid == 1 -> !prev(w() && tid == 2);
END
run foresee check -a property -s pair.spec t.std
is "$status" 0 "and the two writes, 1 and 3, are not adjacent in any run"
run foresee check -a races --all-pairs -f json t.std
has out '"events": \[1, 3\]' "which races finds"

for file in "$SRC"/tests/cases/races/*.case; do
	sed -n 's/^  //p' "$file" >t.std
	within "$(basename "$file" .case)"
done
gcc -O1 -I"$SRC/tests/unit" -o random "$SRC"/tests/spin/random.c \
	"$SRC"/tests/unit/tiny{,_random}.c || fail "random traces"
traces=30
[ -z "${LONG-}" ] || traces=500
for seed in $(seq $traces); do
	./random $seed >t.std
	within "random trace $seed"
done
done_testing
