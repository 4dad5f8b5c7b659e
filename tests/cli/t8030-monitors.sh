#!/usr/bin/env bash
# --monitor: plug-ins that watch, alone or beside a spec, and those that cannot be used.
. "$(dirname "$0")/../lib.sh"

plugin() { # plugin KIND: builds KIND.so
	gcc -shared -fPIC -g -I"$SRC/include" -D"$1" -o "$1.so" "$SRC/tests/programs/monitors/plugin.c"
}

ok "the example builds, as its head says" \
	gcc -shared -fPIC -Wall -Wextra -Werror -I"$FORESEE_ROOT/include" -o balance.so \
	"$SRC/examples/monitor_balance.c"
ok "as C++ too, which has no designators" g++ -std=c++11 -Wall -Wextra -Werror -fsyntax-only \
	-I"$FORESEE_ROOT/include" -x c++ - <<-'END'
	#include <foresee_monitor.h>
	static void nothing(const foresee_input *, void *) {}
	static int good(const void *) { return FORESEE_GOOD; }
	static const foresee_monitor monitors[] = { { "x", 0, 0, NULL, NULL, nothing, nothing, good } };
	FORESEE_MONITORS(monitors, NULL);
	END
ok "and the program" foresee-cc -g -pthread "$SRC/examples/accounts.c" -o accounts
run timeout 60 foresee record -q -o a.foresee ./accounts
is "$status" 0 "one run, in which the clerk is done first"

run timeout 60 foresee check -a property --monitor ./balance.so --witness-dir proofs a.foresee
is "$status" 1 "the bank closes too early in another"
has out 'property balance violated +predicted, certified' "which is certified"
has out 'closed .*50 +30 .*violated' "with what there is then"
has out 'verify it:  foresee verify --monitor \./balance\.so a\.foresee proofs/1\.witness$' \
	"and what to type"
run foresee verify --monitor ./balance.so a.foresee proofs/1.witness
is "$status" 0 "and verified again"
has out '^certified' "in words"
run foresee verify a.foresee proofs/1.witness
is "$status" 2 "but not without the plug-in"
run timeout 60 foresee check -a property --breadth 1 --monitor ./balance.so a.foresee
hasnt out 'property balance violated' "the recorded run itself is fine"
run timeout 60 foresee check -a property --monitor balance.so -f json a.foresee
is "$status" 1 "a name without a directory is one of this directory"
has out '"property": ?"balance"' "JSON names the property"

cat >bank.spec <<-'END'
	shared long current;
	shared long savings;
	event closed = user(closed);
	property whole: ptltl closed() -> savings + current == 100;
	END
run timeout 60 foresee check -a property -s bank.spec --monitor ./balance.so a.foresee
is "$status" 1 "a spec and a plug-in that uses its names"
has out 'property whole violated' "the spec's property"
has out 'property balance violated' "and the plug-in's"
is "$(grep -c 'predicted, certified' out)" 2 "both certified"

# Trouble.
echo 'shared long savings;' >half.spec
run foresee check -s half.spec --monitor ./balance.so a.foresee
is "$status" 2 "a spec that lacks a name"
has err "monitor 'balance' wants variable 'current'.*put 'shared TYPE current;' into the spec" "which one"
run foresee check --monitor ./nowhere.so a.foresee
is "$status" 2 "a plug-in that is not there"
has err "cannot load plug-in './nowhere.so'" "named"
run foresee check --monitor "$SRC/Makefile" a.foresee
is "$status" 2 "a file that is no library"
for kind in NONE FUNCTION OTHER_ABI LARGE HOLLOW TWICE BAD_WORDS; do
	plugin $kind
	run foresee check --monitor ./$kind.so a.foresee
	is "$status" 2 "$kind is refused"
	has err "$kind.so" "by name"
done

# One that writes where it should not: nothing is said, but that.
cat >plain.std <<-'END'
	#fmt 1
	T1|w(x0)=1|1
	T1|w(x1)=2|2
	T1|w(x0)=3|3
	END
plugin BEHIND
run foresee check -a property --monitor ./BEHIND.so plain.std
hasnt out 'property sum violated' "a plug-in that writes outside its state finds nothing"
cat out err >both
has both 'wrote outside its state' "and it is said why"
done_testing
