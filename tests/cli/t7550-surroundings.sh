#!/usr/bin/env bash
# What surrounds a program: standard streams that are closed, privileges and limits that change, filters of
# system calls.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"
[ -n "$LLVMS" ] || skip_all "no pass was built"
. "$SRC/tests/cli/hostile.sh"

hostile streams_closed.c
for mode in full locks; do
	option=$([ $mode = locks ] && echo --locks-only)
	foresee record -q $option -o closed.foresee ./$mode outside <&- >&- 2>&-
	is "$?" 0 "started with closed streams ($mode): the program finds them closed"
	is "$(cat streams.out)" here "started with closed streams ($mode): its files are its own"
	ok "started with closed streams ($mode): consistent" foresee verify closed.foresee
done
foresee record -o closed.foresee ./full inside <&- >&- 2>&-
ok "messages to a closed stderr do not go into the trace" foresee verify closed.foresee
foresee check closed.foresee >report 2>&-
is "$?" 0 "check with stderr closed"
(foresee print closed.foresee >&-) 2>err
is "$?" 2 "a report to a closed stdout is an error"

hostile privileges.c
hostile sandbox.c

# Whoever closes stderr does not want messages in what is opened next.
foresee check -o report sandbox.full.foresee 2>err
has err 'note: .*limits its system calls' "there is something to say"
foresee check -o closed sandbox.full.foresee 2>&-
same report closed "and with stderr closed it is not said in the report"
done_testing
