#!/usr/bin/env bash
# A trace is as large as what is in it: few events, many short threads, one after the other and all at
# once; threads that say more get more room, and what a killed program said is there.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

ok "the program builds" foresee-cc -g -O1 -pthread "$SRC/tests/programs/sizes/threads.c" -o threads

# records NAME THREADS LEAST MOST ARGS...: so many bytes at most in the file and on the disk, and at
# least so many events, all of them consistent.
records() {
	local name=$1 threads=$2 least=$3 most=$4 size
	shift 4
	rm -f trace
	run foresee record -o trace ./threads "$@"
	size=$(stat -c %s trace)
	ok "$name: $size bytes, at most $most" test "$size" -le "$most"
	size=$(($(stat -c %b trace) * 512))
	ok "$name: $size bytes on the disk" test "$size" -le $((most + (most >> 2)))
	run foresee stats trace
	has out "events of $threads threads" "$name: all threads are there"
	run foresee verify trace
	is "$status" 0 "$name: consistent"
	ok "$name: at least $least events" test "$(sed -n 's/^consistent: \([0-9]*\) .*/\1/p' out)" -ge "$least"
	hasnt err 'damage|missing|offset' "$name: nothing is missing"
}

records "a small run" 2 12 65536 1
records "1000 threads, one after the other" 1001 10000 600000 1000
records "500 threads at once" 501 5000 3500000 500 all
# The largest slot is 128 KiB; closed chunks come on top.
records "threads that say more" 6 40000 1000000 5 grow
records "the same, killed" 6 40000 1000000 5 grow kill
done_testing
