#!/usr/bin/env bash
# Small programs, each with a spec and recorded in an order in which nothing goes wrong: the
# violations that their comments name are predicted and certified, and no other; the lattices have
# the sizes that are written there.  Every run of a program is a recording of its own.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"

here=$SRC/tests/programs/property
runs=${LONG:+20}
runs=${runs:-2}

${CC:-cc} -O1 -c -o order.o "$here/../order.c" && ${CC:-cc} -O1 -o flatten "$SRC/tests/cli/flatten.c" || exit 2

# witnesses: all that the last check has left pass the checker alone.
witnesses() {
	local w n=0

	for w in w/*.witness; do
		[ -e "$w" ] || continue
		n=$((n + 1))
		timeout 60 foresee verify -q prog.foresee "$w" >>log 2>&1 || return 1
	done
	[ "$n" = "$(grep -c '^\.findings\.[0-9]*\.kind' flat)" ] || { echo "$n witnesses" >>log; return 1; }
}

# once FILE SPEC: one recording, and what is said of it.
once() {
	local want=0 status

	: >log
	rm -rf w && mkdir w
	grep -Eq '// property' "$here/$1" && want=1
	timeout 60 foresee record -q -o prog.foresee ./prog >out 2>err || return 1
	timeout 60 foresee check -q -a property -s "$2" --witness-dir w -f json prog.foresee >report 2>>err
	status=$?
	[ "$status" = "$want" ] || { echo "check: status $status" >>err; return 1; }
	./flatten <report >flat 2>>err && awk -f "$here/expect.awk" "$here/$1" flat >log 2>&1 || return 1
	witnesses || return 1
	grep -q '^// counts' "$here/$1" || return 0
	! grep '^\.findings\.[0-9]*\.observed=true' flat >log || return 1
	timeout 60 foresee check -q -a lattice-mvc,lattice-weak -s "$2" --count -f json prog.foresee >report 2>>err
	[ $? -le 1 ] && ./flatten <report >flat 2>>err &&
		awk -v only_counts=1 -f "$here/expect.awk" "$here/$1" flat >log 2>&1
}

# try FILE LLVM LEVEL
try() {
	local name="$1 $3 llvm $2" calls i

	# Functions that the spec has calls of say when they begin.
	calls=$(sed -n 's/.* call(\([a-z_]*\).*/\1/p' "$here/${1%.c}.spec" | paste -sd,)
	if ! FORESEE_LLVM=$2 foresee-cc "$3" ${calls:+--foresee-calls=$calls} -g "$here/$1" order.o -o prog -lpthread >log 2>&1; then
		fail "$name: builds"
		note log
		return
	fi
	for ((i = 1; i <= runs; i++)); do
		if ! once "$1" "$here/${1%.c}.spec"; then
			fail "$name: run $i"
			note log
			note err
			return
		fi
	done
	pass "$name: $runs runs"
}

# Each program at both levels; the compilers take turns.
set -- $LLVMS
for p in $(cd "$here" && ls *.c); do
	for level in -O0 -O2; do
		try "$p" "$1" "$level"
		set -- "${@:2}" "$1"
	done
	[ $# -gt 1 ] && set -- "${@:2}" "$1"
done

# The example, as it is shown to people.
ok "the landing controller builds" foresee-cc -g "$SRC/examples/landing.c" -o prog -lpthread
ok "and runs" timeout 60 foresee record -q -o prog.foresee ./prog
run timeout 60 foresee check -q -a lattice-mvc -s "$SRC/examples/landing.spec" --count -f json prog.foresee
is "$status" 1 "its landing without a radio is predicted"
./flatten <out >flat
is "$(sed -n 's/^\.findings\.0\.\(kind\|property\|certified\)=//p' flat | tr '\n' ' ')" \
	'"property" true "land" ' "and certified"
is "$(sed -nE 's/^\.lattice\.lattice-mvc\.(cuts|runs|violating_runs)=//p' flat | tr -d '"' | tr '\n' ' ')" \
	'6 3 2 ' "6 cuts, 3 runs, 2 of them violating"
run timeout 60 foresee check -a property -s "$SRC/examples/landing.spec" prog.foresee
has out 'land' "the report names the property"
has out 'landing\.c:30' "and the line"
done_testing
