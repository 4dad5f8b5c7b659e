#!/usr/bin/env bash
# A debugger at the point: gdb, by what is typed into it.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

mkdir tmp && export TMPDIR=$TEST_DIR/tmp
cp "$SRC/examples/audit.c" . && foresee-cc -g -O1 -pthread audit.c -o audit || exit 2
foresee record -q -o audit.foresee ./audit >/dev/null || exit 2

# Without one it is said before the program runs.
FORESEE_GDB=/nowhere/gdb run foresee replay --gdb audit.foresee 1
is "$status" 125 "no gdb: own failure"
has err "^foresee: there is no '/nowhere/gdb': install gdb, or name another one in FORESEE_GDB" "no gdb: what to do"
is "$(cat out)" "" "no gdb: nothing was done"

command -v gdb >/dev/null || skip_all "no gdb"
sleep 100 &
pid=$!
gdb -batch -p $pid -ex quit >attached 2>&1
kill $pid
grep -qi 'not permitted\|could not attach' attached && skip_all "gdb may not attach"

# typed NAME COMMAND...: a session.
typed() {
	local name=$1

	shift
	printf '%s\n' "$@" | timeout 120 foresee replay --gdb ${options:-} "$trace" 1 >out 2>err
	is "$?" 0 "$name: replayed"
	is "$(ls tmp)" "" "$name: nothing is left behind"
}
# values: what print has shown.
values() {
	sed -n 's/.*\$[0-9]* = //p' out | paste -sd' '
}

trace=audit.foresee
typed "look" 'print audit.total' 'info threads'
has out '^foresee: data race on audit.total, audit.c:[0-9]* in add_entry and audit.c:[0-9]* in report' "look: the banner"
has out '^  thread [23]  T2, before its write in add_entry$' "look: the first thread"
has out '^  thread [23]  T3, before its read in report$' "look: the second"
has out '^#[0-9]+ .* add_entry \(amount=1\)' "look: the frame of the first"
is "$(values)" 0 "look: before the write"
if [ "$(gdb --version | sed -n '1s/.* \([0-9]*\)\..*/\1/p')" -ge 12 ]; then
	is "$(sed -n '/^foresee: data race/,/^(gdb)/p' out | grep -c src/capture)" 0 "look: no frame of the runtime"
fi
has out '^replayed: data race on audit.total' "look: and the report"

typed "first" 'foresee-go first' 'print audit.total'
is "$(values)" 1 "first: the write is done"
has out 'hit Temporary breakpoint 1.* in add_entry' "first: stopped behind it"
typed "second" 'foresee-go second' 'print audit.total'
is "$(values)" 0 "second: only the read is done"
has out 'hit Temporary breakpoint 1.* in report' "second: stopped behind it"
typed "steps" foresee-step 'print audit.total' foresee-step foresee-free
is "$(values)" 1 "steps: the first is the write"
has out 'hit Temporary breakpoint 2.* in report' "steps: the second the read"
has out 'exited normally' "steps: and to the end"
typed "back" 'foresee-go first' foresee-back 'print audit.total'
is "$(values)" 0 "back: it is as before"
is "$(grep -c '^foresee: data race' out)" 2 "back: twice at the point"

# What is done is said, and not done again: the thread would go to its next gate, and gdb wait for it.
typed "where" foresee-where foresee-step foresee-step foresee-step 'foresee-go first' 'print audit.total'
has out 'thread [23]  T2 stands before its write' "where: at first"
has out '^  thread [23]  T2 has done its write' "where: after a step"
is "$(grep -c 'that one is done' out)" 2 "where: no access is done twice"
has out '^both are done:  foresee-free, foresee-back' "where: what is left"
typed "end and back" foresee-free foresee-back 'print audit.total'
has out 'exited normally' "end and back: to the end"
is "$(grep -c '^foresee: data race' out)" 2 "end and back: and once more"
is "$(values)" 0 "end and back: it is as before"

# From step to step of the schedule, and then the point.
options=--steps
typed "schedule" foresee-step 'print log_lines' foresee-step 'print log_lines' foresee-step 'print audit.total' \
	foresee-step 'foresee-go first' 'print audit.total'
told=$(sed -n 's/^(gdb) *//; s/^\(step [0-9] of 4:.*\)$/\1/p' out | sed 's/  audit.c:[0-9]*/  audit.c/')
is "$told" "step 1 of 4:  T2  read audit.total  audit.c in add_entry
step 2 of 4:  T3  lock audit.c:m  audit.c in count_line
step 3 of 4:  T3  read log_lines  audit.c in count_line
step 4 of 4:  T3  unlock audit.c:m  audit.c in count_line" "schedule: each step is named, in its order"
has out '^#[0-9]+ .* in count_line \(\)' "schedule: in the frame of its thread"
has out '^\(gdb\) that was the last step before the point$' "schedule: the end"
is "$(values)" "0 0 0 1" "schedule: values on the way, and at the point"
has out '^  thread [23]  T2, before its write in add_entry$' "schedule: then gdb is at the point"
has out '^replayed: data race on audit.total' "schedule: and it is a replay"
typed "schedule, free" foresee-free 'print audit.total'
is "$(values)" 0 "schedule, free: on to the point"
typed "schedule, nothing" quit
has out '^replayed: data race on audit.total' "schedule, nothing: who leaves gdb gets to the point"
typed "schedule, where" foresee-step foresee-where 'foresee-go first'
is "$(grep -c 'step 2 of 4' out)" 2 "schedule, where: which is next"
has out 'not at the point yet:  foresee-step, foresee-free$' "schedule, where: no access of the race yet"
typed "schedule, back" foresee-step foresee-step foresee-back foresee-step
is "$(grep -c 'step 1 of 4' out)" 2 "schedule, back: from the first step again"
is "$(grep -c 'step 3 of 4' out)" 1 "schedule, back: not where it was"
options=
foresee explore -q "$SRC/examples/turnstile.c" >/dev/null 2>&1
run foresee replay --steps turnstile.schedule
is "$status" 2 "schedule of explore: has steps of its own"
has err "^foresee: --steps goes with a finding, not with a schedule: try --gdb" "schedule of explore: says so"

# In a gdb of the user's, ours is a program like others.
printf '%s\n' 'foresee-go first' 'print audit.total' |
	timeout 120 gdb -q -batch -iex 'set debuginfod enabled off' -ex run --args foresee replay --gdb audit.foresee 1 >out 2>err
has out '^\(gdb\) \$1 = 1$' "in another gdb: the write is done"
has out '^replayed: data race on audit.total' "in another gdb: and the report"
has out 'Inferior 1 \(process [0-9]*\) exited normally' "in another gdb: it ends"
is "$(ls tmp)" "" "in another gdb: nothing is left behind"

# A real deadlock, with the stacks around the circle.
${CC:-cc} -O1 -c -o order.o "$SRC/tests/programs/order.c" || exit 2
foresee-cc -g -O1 -pthread "$SRC/tests/programs/deadlock/two_locks.c" order.o -o locks || exit 2
foresee record -q -o locks.foresee ./locks >/dev/null || exit 2
export ORDER_OFF=
trace=locks.foresee
typed "deadlock" 'print a.__data.__lock' 'print b.__data.__lock'
has out '^#[0-9]+ .* in first \(arg=' "deadlock: one waits"
has out '^#[0-9]+ .* in second \(arg=' "deadlock: so does the other"
is "$(values)" "2 2" "deadlock: for locks that are taken"
done_testing
