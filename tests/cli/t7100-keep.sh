#!/usr/bin/env bash
# --keep: the trace stays small, however long the program runs, and what is left of it is as good
# as any other trace.
. "$(dirname "$0")/../lib.sh"
ok "the program builds" foresee-cc -O2 -g -pthread "$SRC/tests/programs/keep/ring.c" -o ring

run foresee record --keep 64K ./ring
is "$status" 2 "too little is refused"
has err '--keep 64K is too little: give at least 4M' "with the least that will do"
for size in 2X M -1 20000000000G; do
	run foresee record --keep $size ./ring
	has err 'expected a size like 500M or 2G' "$size is no size"
done

# small NAME TRACE: not larger than 8M of chunks, 2M of slots and a little.
small() {
	local most=$((8 << 20 | 3 << 20))
	ok "$1: not larger than what was asked for" test "$(stat -c %s "$2")" -le $most
	ok "$1: nor on the disk" test $(($(stat -c %b "$2") * 512)) -le $most
}

run foresee record --keep 8M -o racy.foresee ./ring 400000 racy
is "$status" 0 "a long run"
has err 'earlier events were dropped' "it is said that there was more"
small "a long run" racy.foresee
run timeout 100 foresee verify racy.foresee
is "$status" 0 "what is left is consistent"
has out '^consistent: [0-9]{5,} events' "and not little"
has err 'begins in the middle of the run' "which is said"
run timeout 100 foresee check racy.foresee
is "$status" 1 "the race at the end is found"
has out 'data race on late .*certified' "and certified"
has out 'T[0-9]+ "(first|second)"' "threads have their names"
hasnt out '0xffff8' "no address of the gate that such a trace begins with"

run foresee record -q --keep 8M -o safe.foresee ./ring 400000
run timeout 100 foresee check safe.foresee
is "$status" 0 "where there is no race none is found"
has out 'begins in the middle of the run; this is about what is left' "and what that is about is said"

# Of a thread whose beginning is gone it is known whether that was unseen code, which may write anything.
keep=$SRC/tests/programs/keep
ok "a library builds" ${CC:-cc} -O2 -shared -fPIC -o libplain.so "$keep/lib.c" -lpthread
ok "and who calls it" foresee-cc -O2 -g -pthread "$keep/root.c" -o root ./libplain.so
run foresee record -q --keep 8M -o root.foresee ./root 400000
foresee print root.foresee 2>err | sed -n '1,/:[1-9]/p' >start
has err 'begins in the middle of the run' "the threads' beginnings are gone"
has start '"unseen" +opaque' "one began in unseen code"
hasnt start '"seen" +opaque' "another did not"
hasnt start 'T1:0 +opaque' "nor did the first"

run foresee record -q --locks-only --keep 4M -o locks.foresee ./ring 600000
run timeout 100 foresee verify locks.foresee
is "$status" 0 "with --locks-only: consistent"
has err 'begins in the middle of the run' "and the beginning is gone"

run foresee record --keep 8M -o short.foresee ./ring 1000
hasnt err 'dropped' "a short run is kept whole"
run foresee stats short.foresee
has out '^  complete yes' "and complete"
rm -f *.foresee

# Where the disk is too small for it, less is kept.
mkdir disk
if mount -t tmpfs -o size=5m foresee-test disk 2>/dev/null; then
	run foresee record -q --keep 16M -o disk/t.foresee ./ring 300000
	cp disk/t.foresee .
	umount disk
	run timeout 100 foresee verify t.foresee
	is "$status" 0 "a disk smaller than that: consistent"
	has out '^consistent: [0-9]{5,} events' "a disk smaller than that: the last of it"
	hasnt err 'cannot write' "a disk smaller than that: recorded to the end"
else
	echo "# no tmpfs may be mounted here: the small disk was not tried"
fi
done_testing
