#!/usr/bin/env bash
# Children: the parent is unharmed, the child is not recorded, and the trace says so; unless the recording
# goes along with it.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"
[ -n "$LLVMS" ] || skip_all "no pass was built"
. "$SRC/tests/cli/hostile.sh"

hostile forks.c
hostile fork_ways.c
hasnt notes 'became another one' "a child of vfork that executes is not the program"
for mode in full locks; do
	ok "a child of vfork that leaves does not end the recording ($mode)" \
		test "$(foresee stats fork_ways.$mode.foresee | awk '$1 == "threadend" { print $2 }')" = 2
	[ ! -e fork_ways.$mode.foresee.2 ]
	is $? 0 "a child by posix_spawn is not recorded ($mode)"
done
foresee record -o told.foresee ./full >out 2>err
has err 'note: .*forked: the child, process [0-9]+, is not recorded' "record says it"
foresee run --trace told.foresee ./full >out 2>err
has err 'note: .*forked: the child, process [0-9]+, is not recorded' "run says it"

# ---- daemons ----
hostile daemonise.c
has err 'went on as process [0-9]+, and is recorded there until it ends' "daemon: foresee stays with it"
foresee stats daemonise.full.foresee >stats
has stats ', [0-9]+ events of 3 threads' "daemon: its threads are there"
options=--follow-fork hostile daemonise.c twice
foresee stats daemonise.full.foresee >stats
has stats ', [0-9]+ events of 3 threads' "--follow-fork: the threads of the child's child"
rm -f daemon.foresee
HANGUP=1 foresee run --trace daemon.foresee ./full >out 2>err &
for i in $(seq 100); do
	grep -q 'went on as process' err && break
	sleep 0.1
done
sleep 0.5
kill -TERM $!
wait $!
is "$?" 0 "a request to end reaches the daemon, and its run is analysed"
has err 'went on as process [0-9]+, and that has ended' "and that is said"

# ---- exec ----
hostile becomes.c
for mode in full locks; do
	ok "becomes ($mode): the next program has a trace of its own" foresee verify becomes.$mode.foresee.2
	run foresee stats becomes.$mode.foresee.2
	has out '^  complete no' "becomes ($mode): that became another one too"
	has err 'no: exec of no-such-program failed' "becomes ($mode): not at the first try"
	has err 'by exec of /bin/true' "becomes ($mode): and what it became"
done
run foresee record --locks-only -o env.foresee env ./locks again
ok "a program without threads gives its place to the next" foresee verify env.foresee
foresee stats env.foresee >stats 2>&1
has stats 'of 3 threads' "which has threads"
done_testing
