#!/usr/bin/env bash
# Signal handlers, recorded by both runtimes: in the middle of everything, within each other, on stacks of
# their own, that post and lock; jumps out of them; threads that wait for signals instead.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"
[ -n "$LLVMS" ] || skip_all "no pass was built"
. "$SRC/tests/cli/hostile.sh"

hostile signal_storm.c
hostile signal_ways.c
# Five threads of the timer at least, made by libc: but the last of them have ended in good order.
for mode in full locks; do
	ends=$(foresee stats signal_ways.$mode.foresee | awk '$1 == "threadend" { print $2 }')
	is "$((ends >= 3 + 4))" 1 "signal_ways ($mode): threads of libc's end too"
done
# What libc's own thread allocates for each of them it hands on: else the next to free that memory would be
# a second one.
foresee print signal_ways.full.foresee >events 2>/dev/null
handed=$(awk '{ split($2, id, ":"); n += born[id[1]] && $3 == "give"; born[id[1]] = $3 == "alloc" }
	END { print n + 0 }' events)
ok "signal_ways (full): $handed blocks are handed on, 4 at least" test "$handed" -ge 4
# A CPU whose state takes 12 kB of a handler's stack.
extra=-DLEAST=11952 hostile signal_ways.c
hostile signal_jumps.c
hostile signal_fault.c
done_testing
