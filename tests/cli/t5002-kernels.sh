#!/usr/bin/env bash
# The kernels of the benchmark, small: recorded, they print what they print
# natively, and both kinds of trace verify.
. "$(dirname "$0")/../lib.sh"

# kernel and scale
kernels='matmul 24
prodcons 2000
bank 2000
hashtable 2000
racy 5000
msort 20000
pipeline 300
lfqueue 2000
rwcache 2000
stencil 2'

# recorded OPTION...: records kernel $name with these options and verifies the trace.
recorded() {
	run foresee record -q "$@" -o "$name.foresee" ./foresee-$name "$scale"
	is "$status" 0 "$name $*: ends well"
	same native out "$name $*: prints the same"
	run foresee verify "$name.foresee"
	has out '^consistent: [0-9]{4,} events' "$name $*: consistent"
	has out '\b0 unknown\b' "$name $*: every read has its write"
	hasnt err 'note:' "$name $*: nothing is missing"
	rm -f "$name.foresee"
}

while read -r name scale; do
	source=$SRC/tests/perf/kernels/$name.c
	ok "$name: builds" foresee-cc -O2 -g -pthread "$source" -o foresee-$name
	gcc -O2 -pthread "$source" -o native-$name && ./native-$name "$scale" >native
	recorded
	recorded --full
done <<<"$kernels"

# Reads that were left out are asked for once each, however long a thread goes on without synchronising.
run foresee record -q -o m.foresee ./foresee-matmul 150
(ulimit -t 8 && foresee check -q m.foresee >out 2>err)
is $? 0 "matmul: the analysis takes a second of processor time, not forty"
done_testing
