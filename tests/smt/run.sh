#!/usr/bin/env bash
# Z3 finds a reordering for exactly the races that `exact' reports and the deadlocks of locks that
# `deadlocks' does: on the golden cases and on random traces, by both models.
#
# All traces are one run of Z3: (reset) stands between them, and each pair is a (push) and a (pop).
# LONG=1: more random traces.
. "$(dirname "$0")/../lib.sh"

command -v z3 >/dev/null || skip_all "no z3"
command -v gcc >/dev/null || skip_all "no gcc"

# ask NAME OPTIONS...: adds t.std to what Z3 is asked, and the engines' answers to what is wanted.
ask() {
	local name=$1
	shift
	if ! foresee export -q --to smt2 "$@" t.std >one.smt2 2>err; then
		fail "$name: the text"
		note err
		return
	fi
	{ echo "(reset)"; echo "(echo \"trace $name${1:+ $1}\")"; cat one.smt2; } >>all.smt2
	foresee check -q -a exact,deadlocks --all-pairs "$@" -f json t.std >json 2>err
	[ $? -le 1 ] || fail "$name: the engines"
	{
		echo "trace $name${1:+ $1}"
		awk -f "$SRC/tests/cases/pairs.awk" json |
			awk '($4 == "race" || $4 == "deadlock") && $2 ~ /-/ { print $4, $2 }' | sort
	} >>wanted
}

both() {
	ask "$1"
	! grep -q '~' t.std || ask "$1" --strict
}

: >all.smt2 >wanted
for file in "$SRC"/tests/cases/{races,deadlocks}/*.case; do
	sed -n 's/^  //p' "$file" >t.std
	both "$(basename "$file" .case)"
done
gcc -O1 -I"$SRC/tests/unit" -o random "$SRC"/tests/spin/random.c \
	"$SRC"/tests/unit/tiny{,_random}.c || fail "random traces"
traces=16
[ -z "${LONG-}" ] || traces=300
for seed in $(seq $traces); do
	for kind in '' $([ $((seed % 2)) = 0 ] && echo locks || echo counts) rereads tests; do
		./random "$seed" $kind >t.std
		both "random-$seed${kind:+-$kind}"
	done
done

z3 all.smt2 >answers 2>&1
hasnt answers 'error|unknown' "Z3 understands all of it, and decides"
# Those that are sat, each trace sorted.
awk '/^trace / { if (list != "") { printf "%s", list | "sort"; close("sort") } list = ""; print; fflush(); next }
	/^(race|deadlock) / { goal = $0; next }
	/^sat$/ { list = list goal "\n" }
	END { if (list != "") printf "%s", list | "sort" }' answers >found
same wanted found "$(grep -c '^trace' wanted) traces, $(grep -Ec '^(un)?sat' answers) pairs and circles: $(
	grep -c '^sat' answers) can happen"
[ "$(grep -c '^unsat' answers)" -gt 50 ] || fail "there is little to refute"

# One pair, and what is refused.
printf '%s\n' 'T1|w(y)|1' 'T1|acq(m)|2' 'T1|rel(m)|3' 'T2|acq(m)|4' 'T2|rel(m)|5' 'T2|w(y)|6' >t.std
foresee export --to smt2 --pair 6,1 t.std >one.smt2
is "$(z3 one.smt2 | tr '\n' ' ')" "race 1-6 sat " "a single pair"
sed 's/^(check-sat)/&\n(get-model)/' one.smt2 >model.smt2
z3 model.smt2 >out
has out 'define-fun o_5' "with the order that shows it"
done_testing
