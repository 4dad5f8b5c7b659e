#!/usr/bin/env bash
# Programs that do right in every run, each with the spec that says so: nothing is found, whatever
# the order that was recorded.  Where code that is not recorded writes a variable of the spec,
# nothing is said of it.
. "$(dirname "$0")/../lib.sh"

here=$SRC/tests/programs/property_sound
runs=${LONG:+30}
runs=${runs:-2}

# once FILE WANT [OPTION]: one recording, by both causalities.
once() {
	local want=$2 name

	timeout 60 foresee record -q ${3:+"$3"} -o t.foresee ./prog >out 2>err || return 1
	for name in property lattice-mvc; do
		timeout 60 foresee check -q -a "$name" -s p.spec t.foresee >out 2>err
		status=$?
		[ "$status" = "$want" ] || { echo "check -a $name: status $status" >>err; return 1; }
	done
	[ "$want" = 0 ] || grep -q 'says nothing from event [1-9]' out
}

# try FILE LEVEL
try() {
	local want=0 i

	sed -n 's|^//spec ||p' "$here/$1" >p.spec
	grep -q '^//expect nothing is known' "$here/$1" && want=3
	if ! foresee-cc "$2" -g "$here/$1" -o prog -lpthread >out 2>err; then
		fail "$1 $2: builds"
		note err
		return
	fi
	for ((i = 1; i <= runs; i++)); do
		if ! once "$1" "$want" || ! once "$1" "$want" --full; then
			fail "$1 $2: nothing found in run $i"
			note out
			note err
			return
		fi
	done
	pass "$1 $2: nothing found in $runs runs"
}

for f in "$here"/*.c; do
	for level in -O0 -O2; do
		try "${f##*/}" "$level"
	done
done

# Memory that is given out anew holds nothing that is known, in every run of the lattice too.
printf '#fmt 1\nT1|w(x)=1|1\nT1|alloc(x)|2\nT1|w(y)=1|3\nT2|user(a)|4\n' >anew.std
printf 'shared long x = 0;\nshared long y = 0;\nproperty p: ptltl y == 1 -> x == 0;\n' >anew.spec
for name in property lattice-mvc; do
	run timeout 60 foresee check -q -a $name -s anew.spec anew.std
	is "$status" 3 "$name: memory given out anew"
	has out "'p' says nothing from event 3 on" "$name: and says so"
done
done_testing
