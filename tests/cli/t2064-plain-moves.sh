#!/usr/bin/env bash
# A plain move of a binary may be an atomic of its source.  So a race under Valgrind is predicted only where
# one of its accesses is seen to be no atomic, or --plain-moves says that none is.
. "$(dirname "$0")/../lib.sh"

[ -x "$FORESEE_ROOT/lib/foresee/valgrind/foresee-amd64-linux" ] || skip_all "foresee was built without Valgrind"
programs=$SRC/tests/programs/valgrind
clang=$(command -v clang-14 clang | head -1)

# record NAME COMMAND...: compile and record
record() {
	local name=$1
	shift
	"$@" -gdwarf-4 -w -o "$name" "$programs/moves_${name%%_*}.c" -lpthread -lm || return
	foresee record -q --valgrind -o "$name.foresee" "./$name"
}

# races NAME STATUS [OPTIONS]: the variables of races that are of this status
races() {
	foresee check -q -a races -f json -o report "${@:3}" "$1.foresee"
	[ $? -le 1 ] || echo trouble
	tr '{' '\n' <report | sed -n '/"kind": *"race"/{
		/"status": *"'"$2"'"/s/.*"object": *"\([^"+[]*\).*/\1/p;}' | sort -u | paste -sd,
}

# ---- nothing races: nothing is predicted, whoever has compiled it ----

for cc in gcc ${clang:+"$clang"}; do
	for level in -O0 -O1 -O2 -O3 -Os -Oz; do
		ok "right, $cc $level: recorded" record right "$cc" $level
		is "$(races right predicted)" "" "right, $cc $level: nothing is predicted"
	done
done
ok "right: its moves are looked at" test -n "$(races right warning)"
ok "right: the user is believed" test -n "$(races right predicted --plain-moves)"

# ---- what shows that it is no atomic ----

ok "gcc: recorded" record wrong_gcc gcc -O2
is "$(races wrong_gcc predicted)" counted,record,text "gcc: in place, by a function, not aligned"
is "$(races wrong_gcc warning)" flag "gcc: moves are a warning"
foresee check -q -a races wrong_gcc.foresee >log
ok "gcc: why" grep -q 'only a warning: a plain move may be an atomic of the source, and the binary does not say' log
is "$(races wrong_gcc predicted --plain-moves)" counted,flag,record,text "the user says that there are no atomics"
if [ "$clang" ]; then
	ok "clang: recorded" record wrong_clang "$clang" -O2
	is "$(races wrong_clang predicted)" record,text "clang: what is changed in place may be an atomic"
fi
cp wrong_gcc before
strip --strip-debug wrong_gcc
is "$(races wrong_gcc predicted)" record,text "stripped since: it cannot be seen who has compiled it"
mv before wrong_gcc
echo plain-moves >project
is "$(FORESEE_PROJECT=project races wrong_gcc predicted)" counted,flag,record,text "a project may say so"

# By the pass nothing changes.
if command -v foresee-cc >/dev/null; then
	foresee-cc -O2 -o pass "$programs/moves_wrong.c" -lpthread && foresee record -q -o pass.foresee ./pass
	is "$(races pass predicted)" "$(races pass predicted --plain-moves)" "a recording of the pass has atomics"
	is "$(races pass warning)" "" "and no such warnings"
fi
done_testing
