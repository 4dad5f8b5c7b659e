#!/usr/bin/env bash
# The trace cannot grow: the program runs on undisturbed, what was written is
# used, and the trace says what happened.
. "$(dirname "$0")/../lib.sh"
ok "the program builds" foresee-cc -O2 -g -pthread -I"$SRC/tests/perf/kernels" \
	"$SRC/tests/perf/kernels/bank.c" -o bank
./bank 400000 >native

# stopped NAME TRACE: the last run recorded into a place that filled up.
stopped() {
	is "$status" 0 "$1: the program ends well"
	same native out "$1: and prints the same"
	run foresee verify "$2"
	is "$status" 0 "$1: what is there is consistent"
	has out '^consistent: [0-9]{4,} events' "$1: and not little"
	has err 'cannot write to the trace' "$1: it is said what happened"
	run foresee stats "$2"
	has out '^  complete no' "$1: not complete"
}

# A limit on the size of files, which the kernel would punish with a signal.
run bash -c 'ulimit -f 8000; exec foresee record -o limited.foresee ./bank 400000'
stopped "file size limit" limited.foresee

# A file system that fills up, where one may be mounted.
mkdir small
if mount -t tmpfs -o size=8m foresee-test small 2>/dev/null; then
	run foresee record -o small/full.foresee ./bank 400000
	cp small/full.foresee .
	umount small
	stopped "full disk" full.foresee

	# New threads want room where there is none: they would be killed by a touch of it.
	ok "a program of many threads builds" foresee-cc -O1 -g -pthread \
		"$SRC/tests/programs/hostile/thousand.c" -o thousand
	mount -t tmpfs -o size=400k foresee-test small
	run timeout 60 foresee record -q -o small/threads.foresee ./thousand alive 200
	is "$status $(cat out)" "0 200" "full disk, new threads: the program ends well"
	cp small/threads.foresee .
	umount small
	run foresee verify threads.foresee
	is "$status" 0 "full disk, new threads: what is there is consistent"
	has err 'cannot get room for another thread' "full disk, new threads: it is said what happened"
else
	echo "# no tmpfs may be mounted here: the full disk itself was not tried"
fi
done_testing
