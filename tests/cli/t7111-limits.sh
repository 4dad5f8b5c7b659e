#!/usr/bin/env bash
# A program that closes or replaces descriptors that are not its own, runs out of them, or of
# memory, or leaves for another root: it gets what it would without the recorder, which goes on as
# long as it can, never writes into a file of the program's, and says when it stopped.
. "$(dirname "$0")/../lib.sh"
program=$SRC/tests/programs/limits/descriptors.c
# Users differ in how many they may have; the recorder's own must be among those that are replaced.
ulimit -Sn 4096 2>/dev/null
ok "the program builds" foresee-cc -O2 -g -pthread "$program" -o seen
ok "and without the recorder" ${CC:-gcc} -O2 -g -pthread "$program" -o plain

# goes_on NAME HOW OPTIONS...: recorded to the end.
goes_on() {
	local name=$1 how=$2 prog=./seen least=960000
	shift 2
	[ "${1:-}" = --locks-only ] && prog=./plain least=480000
	rm -f mine
	run foresee record -q -o t.foresee "$@" $prog $how mine
	if [ $status = 77 ]; then
		echo "# $name: not possible here, not tried"
		return
	fi
	is "$status $(cat out)" "0 240000" "$name: the program is as ever"
	[ ! -s mine ] || fail "$name: its own file was written to"
	run timeout 100 foresee verify t.foresee
	is "$status" 0 "$name: consistent"
	hasnt err 'cannot write' "$name: recording went on"
	ok "$name: to the end" test "$(sed -n 's/^consistent: \([0-9]*\) .*/\1/p' out)" -ge $least
}

for how in close closefrom close_range replace exhaust chroot; do
	goes_on "$how" $how
done
for how in close_range replace exhaust; do
	goes_on "$how, --locks-only" $how --locks-only
done
goes_on "close_range, --keep" close_range --keep 64M

# Few descriptors from the start.
run bash -c 'ulimit -n 16; exec foresee record -q -o t.foresee ./seen exhaust mine'
is "$status $(cat out)" "0 240000" "16 descriptors: the program is as ever"
run timeout 100 foresee verify t.foresee
is "$status" 0 "16 descriptors: consistent"

# No memory any more: whatever the recorder cannot do without, the program can.
run foresee record -q -o t.foresee ./seen memory mine
is "$status $(cat out)" "0 300000" "no memory: the program is as ever"
run timeout 100 foresee verify t.foresee
is "$status" 0 "no memory: what is there is consistent"
has out '^consistent: [0-9]{6,} events' "no memory: and not little"
has err 'no memory for another thread' "no memory: it is said what is missing"

# Hardly any from the start.
for kilobytes in 100000 1000000; do
	run bash -c "ulimit -v $kilobytes; exec foresee record -q -o few.foresee ./seen none mine"
	is "$(cat out)" 240000 "$kilobytes kB of memory: the program is as ever"
done

# No room for anything but a head.
run bash -c 'ulimit -f 4; foresee record -o no.foresee ./seen none mine 2>&1 | cat'
has out 'nothing was recorded: there was no room' "files of 4 kB: it is said why nothing is recorded"
done_testing
