#!/usr/bin/env bash
# A child that the recording goes along with has another number in the eyes of the library: what it takes
# it gives back, and nothing is found that cannot be.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"
[ -n "$LLVMS" ] || skip_all "no pass was built"
. "$SRC/tests/cli/hostile.sh"

${CC:-cc} -O1 -c -o order.o "$SRC/tests/programs/order.c" || exit 2

# counts TRACE NAME: as many locks given back as taken, of each kind.
counts() {
	foresee stats "$1" >stats 2>&1
	is "$(awk '$1 == "rel" || $1 == "rrel" { print $2 }' stats | xargs)" \
		"$(awk '$1 == "acq" || $1 == "racq" { print $2 }' stats | xargs)" "$2: all are given back"
}

for way in fork daemon; do
	options=--follow-fork hostile followed.c $way
	for mode in full locks; do
		counts followed.$mode.foresee "$way ($mode)"
	done
done
done_testing
