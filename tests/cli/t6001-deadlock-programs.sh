#!/usr/bin/env bash
# Small programs, with and without deadlocks, each recorded in an order in which nothing goes
# wrong: the deadlocks that their comments name are predicted, and no other.  Every run of a program
# is a recording of its own.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"

here=$SRC/tests/programs/deadlock
runs=${LONG:+30}
runs=${runs:-10}

${CC:-cc} -O1 -c -o order.o "$here/../order.c" && ${CC:-cc} -O1 -o flatten "$SRC/tests/cli/flatten.c" || exit 2

# observe FILE: a run and its report.  A program that hangs is stopped by run, not by record.
observe() {
	if grep -q '^// hangs' "$here/$1"; then
		timeout 20 foresee run -q -a deadlocks -f json --trace prog.foresee -o report ./prog >out 2>err
		status=$?
		return
	fi
	timeout 20 foresee record -q -o prog.foresee ./prog >out 2>err || bad=1
	timeout 20 foresee check -q -a deadlocks -f json prog.foresee >report 2>>err
	status=$?
}

# try FILE LLVM LEVEL bug|safe FLAGS
try() {
	local name="$1${5:+ $5} $3 llvm $2" bad=0 i n=$runs want cc=foresee-cc status

	case $1 in *.cpp) cc="foresee-c++ -std=c++17" ;; esac
	if ! FORESEE_LLVM=$2 $cc $3 $5 -D_GNU_SOURCE -g "$here/$1" order.o -o prog -lpthread >log 2>&1; then
		fail "$name: builds"
		note log
		return
	fi
	grep -q '^// hangs' "$here/$1" && n=1
	for ((i = 1; i <= n && bad == 0; i++)); do
		observe "$1"
		./flatten <report >flat 2>>err || bad=1
		awk -v program="$1" -v build="$5" -v safe="$([ "$4" = safe ] && echo 1)" \
			-f "$here/expect.awk" "$here/$1" flat >log 2>&1 || bad=1
		want=$(grep -c '^\.findings\.[0-9]*\.kind' flat)
		[ "$status" = $((want > 0)) ] || { bad=1 && echo "status $status" >>err; }
	done
	if [ "$bad" = 0 ]; then
		pass "$name: $n runs"
	else
		fail "$name: run $((i - 1))"
		note err
	fi
	note log
}

# builds FILE: a line for each, `bug' or `safe' and flags.
builds() {
	sed -nE '/^\/\/ (bug|safe):/ { s/^.. //; s/:/ /; p }' "$here/$1" | grep . || echo bug
}

# Each program at both levels; the compilers take turns.
set -- $LLVMS
for p in $(cd "$here" && ls *.c *.cpp); do
	while read -r kind flags; do
		for level in -O0 -O2; do
			try "$p" "$1" "$level" "$kind" "$flags"
			set -- "${@:2}" "$1"
		done
	done < <(builds "$p")
	[ $# -gt 1 ] && set -- "${@:2}" "$1"
done
done_testing
