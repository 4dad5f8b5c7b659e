#!/usr/bin/env bash
# Threads that are left when main returns, or somebody calls exit, go on for a moment: what they do is
# recorded, and nothing else changes.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

here=$SRC/tests/programs/ends
${CC:-cc} -O1 -c -o order.o "$here/../order.c" || exit 2
ok "left builds" foresee-cc -g -O1 -pthread -I"$here/.." "$here/left.c" order.o -o left
${CC:-cc} -g -O1 -pthread -I"$here/.." "$here/left.c" order.o -o plain || exit 2

# ends WHAT STATUS [OPTIONS]: records it; the status is the program's own.
ends() {
	local what=$1 wanted=$2
	shift 2
	run timeout 60 foresee record -o "$what.foresee" "$@" ./left "$what"
	is "$status" "$wanted" "$what: status"
}

left='^foresee: note: the recorder says: [56] threads were left when the program ended'
ends all 3
has out '^handler$' "all: handlers of atexit run"
has err "$left, and went on for [0-9]+ ms \\(--linger\\); then 0 were left\$" "all: it is told"
run foresee check all.foresee
is "$status" 1 "all: what they did is seen"
has out '^1  data race on shared ' "all: and that it races"
ok "all: the recording is consistent" foresee verify all.foresee
run foresee check -f json all.foresee
has out '"threads_unstarted": 0, "threads_unjoined": 5' "all: they began, and nobody joined them"

# The same from exit in a handler of a signal, in another thread, twice, and by quick_exit.
ends signal 6
has err "$left.*then 0 were left\$" "signal: they went on"
ends thread 5
has out '^handler$' "thread: handlers of atexit run"
ends again 4
ends quick 7
has err "$left.*then 0 were left\$" "quick: they went on"
hasnt out 'handler' "quick: without handlers of atexit"
# Who calls exit when the end has begun does not change the status.
ends exit 3
# Not for _exit.
ends under 8
hasnt err 'threads were left' "under: _exit does not wait"

# Nobody gets on: the end does not wait for them.
for what in wait lock; do
	ends $what 3 --linger 60000
	has err "$left, and went on for [0-9]{1,4} ms .*then 5 were left\$" "$what: threads that wait for good are left"
done
ends spin 3 --linger 50
has err "$left, and went on for [0-9]{2,4} ms" "spin: no longer than asked for"
ends all 3 --linger 0
hasnt err 'threads were left' "--linger 0 does not wait"
# One that has been joined is not left, though the kernel may still be taking it apart.
ok "joined builds" foresee-cc -D_GNU_SOURCE -g -O1 -pthread "$here/joined.c" -o joined
run timeout 60 foresee record -o joined.foresee ./joined
if [ "$status" = 77 ]; then
	pass "joined: not left # SKIP no tracing here"
else
	is "$status" 0 "joined: ends well"
	hasnt err 'left when the program ended' "joined: nobody was left"
fi
run foresee record --linger x ./left
is "$status" 2 "a number is wanted"
run timeout 60 foresee record --locks-only -o plain.foresee ./plain all
is "$status" 3 "--locks-only: status"
has err "$left.*then 0 were left\$" "--locks-only: they went on"
done_testing
