#!/usr/bin/env bash
# What the kernel and libc put into memory is written there: no read sees bytes of before.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"
[ -n "$LLVMS" ] || skip_all "no pass was built"
. "$SRC/tests/cli/hostile.sh"

for level in -O0 -O2; do
	hostile input.c
	full_option=--full hostile input.c
	hostile input.c known
	has verified ' 0 unknown' "input ($level): what is stood in for is known to the byte"
done
done_testing
