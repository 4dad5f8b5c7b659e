#!/usr/bin/env bash
# Parts of recordings, from any cut to any other: programs without races, deadlocks and split blocks have none in
# any part either, and every part agrees with itself.  FORESEE_CUT
# makes small recordings of many cuts.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"
[ -n "$LLVMS" ] || skip_all "no pass was built"
gen=$SRC/tests/gen
long=${LONG:-${FORESEE_LONG:-}}
export TMPDIR=$TEST_DIR # where the checker leaves what it refuses
RANDOM=${SEED:-7}
windows=0
many=${long:+200} some=${long:+300}

${CC:-gcc} -std=gnu11 -O1 -o gen "$gen"/*.c && ${CC:-gcc} -std=gnu11 -O1 -o locks "$gen/locks/locks.c" &&
	${CC:-gcc} -O1 -c -o gate.o "$gen/locks/gate.c" || exit 2

# cuts TRACE: how many there are.
cuts() {
	foresee verify --cuts 1: "$1" 2>&1 | sed -nE 's/.* at cut [0-9]+ of ([0-9]+):.*/\1/p'
}

# part: a random one, of $n cuts.
part() {
	local from=$((RANDOM % (n + 1))) to

	to=$((from + 1 + RANDOM % (n + 1 - from)))
	[ $((RANDOM % 2)) = 0 ] && to=
	echo "$from:$to"
}

# parts NAME ANALYSES N [unfit]: none of N random parts of t.foresee has a finding.
parts() {
	local i p rc

	n=$(cuts t.foresee)
	for ((i = 0; i < $3; i++)); do
		p=$(part)
		windows=$((windows + 1))
		[ $# = 4 ] || foresee verify -q --cuts "$p" t.foresee >out 2>&1 || { fail "$1: part $p agrees with itself" && note out; }
		timeout 60 foresee check -q -a "$2" --cuts "$p" t.foresee >out 2>err
		rc=$?
		[ $rc = 0 ] || [ $rc = 3 ] || { fail "$1: nothing in part $p" && note out && note err; }
	done
}

# ---- locks held in every way when a part begins ----
for v in $LLVMS; do
	ok "a program builds, llvm $v" env FORESEE_LLVM="$v" foresee-cc -O1 -g -pthread \
		"$SRC/tests/programs/keep/across.c" -o across
	for cut in 700 5000; do
		rm -f t.foresee
		run env FORESEE_CUT=$cut foresee record -q -o t.foresee ./across
		is "$status" 0 "it runs"
		parts "locks held, cuts after $cut bytes" races,deadlocks "${many:-15}"
		ok "there are parts" test "$n" -gt 20
	done
	rm -f t.foresee
	FORESEE_CUT=3000 foresee record -q -o t.foresee ./across handed
	parts "a lock that another thread gives back" races,deadlocks "${many:-15}" unfit
done

# ---- threads in the middle of a block when a part begins ----
foresee-cc -O1 -g -pthread "$SRC/tests/programs/keep/blocks.c" -o whole &&
	foresee-cc -O1 -g -pthread -DSPLIT "$SRC/tests/programs/keep/blocks.c" -o split || exit 2
rm -f t.foresee
FORESEE_CUT=700 foresee record -q -o t.foresee ./whole
parts "whole blocks" atomicity,aerodrome,aerodrome-data "${many:-25}"
rm -f t.foresee
foresee record -q -o t.foresee ./split
run timeout 120 foresee check -q -a triples t.foresee
is "$status" 1 "and one that is not is found, of the whole run"

# ---- random programs without races, those that cannot hang ----
for ((s = 1; s <= ${some:-3}; s++)); do
	set -- $LLVMS
	./gen --clean --events 3000 "$s" >p.c
	FORESEE_LLVM=$1 foresee-cc -w -std=gnu11 -g -fno-strict-aliasing -pthread -O$((s % 2 * 2)) -I"$gen" p.c -o prog \
		>log 2>&1 || fail "builds"
	rm -f t.foresee
	FORESEE_CUT=$((200 + RANDOM % 3000)) foresee record -q -o t.foresee ./prog >log 2>&1 || fail "runs"
	parts "random program $s" races,deadlocks 12
	./locks --safe "$s" order >p.c
	foresee-cc -w -g -pthread -O1 -I"$gen/locks" p.c gate.o -o prog >log 2>&1 || fail "builds"
	rm -f t.foresee
	FORESEE_CUT=$((20 + RANDOM % 300)) foresee record -q -o t.foresee ./prog >log 2>&1 || fail "runs"
	parts "random locks $s" deadlocks 12
done
pass "$windows parts"

done_testing
