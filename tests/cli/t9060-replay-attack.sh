#!/usr/bin/env bash
# An attack on the word "replayed": programs that go another way where nobody sees it, that write over
# what is foresee's, that touch other memory at the same places, that wait only for a while.  Each ends
# soon, says where, leaves nothing behind; what is called replayed did happen.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

here=$SRC/tests/programs/replay
mkdir "a b" tmp && cd "a b" && export TMPDIR=$TEST_DIR/tmp
${CC:-cc} -O1 -c -o unseen.o "$here/attack_unseen.c" && ${CC:-cc} -O1 -c -o order.o "$here/../order.c" || exit 2
for p in attack attack_waits attack_values; do
	cp "$here/$p.c" . && foresee-cc -g -O1 -pthread -I"$here" $p.c unseen.o order.o -o $p || exit 2
done
foresee record -q -o race.foresee ./attack >log 2>&1 || exit 2

spec= # an option, or nothing
# try STATUS WORDS TRACE [VARIABLE=VALUE...]
try() {
	local status=$1 words=$2 trace=$3 came

	shift 3
	env ORDER_OFF=1 "$@" timeout 60 foresee replay --time 2 --patience 1 $spec "$trace.foresee" 1 >out 2>err </dev/null
	came=$?
	if [ $came = "$status" ] && grep -Eq -- "$words" out; then
		pass "$*: $words"
	else
		fail "$*: status $status, and $words" && note out 12 && note err 5
	fi
	[ -z "$(ls ../tmp)" ] || fail "$*: leaves $(ls ../tmp)"
}

try 0 '^replayed: data race on .*x' race A=1

# ---- another path, in code that is not seen ----

try 1 'T2 after 0 of its events: expected attack.c:[0-9]* in writer, and the thread ended' race ATTACK=returns
try 1 'T2 after 0 of its events: expected .*, and the thread ended' race ATTACK=child-goes-on
try 1 'T2 after 0 of its events: expected .*, and the thread ended|ended with status 3 on the way' race ATTACK=quick-exit
try 1 'the program ended with status 3 on the way there' race ATTACK=exit
try 1 'the program was killed by signal 6 .* on the way there, in T2' race ATTACK=aborts
try 1 'T1 after 0 of its events: expected .*, and the thread ended' race ATTACK=child
try 1 'the program ended with status 0 on the way there' race ATTACK=daemon
try 1 'T1 after 0 of its events: expected attack.c:[0-9]* in main, came attack.c:[0-9]* in main' race ATTACK=another-thread
try 1 '^  T2  is gone' race ATTACK=exec
try 1 '^  T2  is gone' race ATTACK=thread-exit
try 1 '^  T2  is in the system call futex, at no gate' race ATTACK=futex
try 1 '^  T2  is in the system call rt_sigtimedwait, at no gate' race ATTACK=signal
try 1 '^  T2  (runs|is in the system call sched_yield)' race ATTACK=spins
try 1 '^  T1  is in the system call pause, at no gate' race ATTACK=blocks
try 1 'killed by signal' race ATTACK=no-memory
try 1 'killed by signal|is gone' race ATTACK=seccomp
try 1 '^  T2  is in the system call (read|recvfrom), at no gate|T[23] after ' race ATTACK=pipe
try 1 '^  T2  is in the system call (read|recvfrom), at no gate|T[23] after ' race ATTACK=socket

# ---- what is foresee's ----

for how in zeros ones flips; do
	try 1 'the program has written over the plan that it shares with foresee' race ATTACK=$how
done
for how in trace-is-pipe output-is-pipe trace-is-directory options closes no-files; do
	try 0 '^replayed: data race on .*x' race ATTACK=$how
done

# ---- other memory, at the same places ----

try 1 'the two do not touch the same memory: T[23] [14] bytes? at 0x.*, T[23] [14] bytes? at 0x' race SHIFT=4
try 0 '^replayed: data race on .*x' race SHIFT=3
try 1 'what is touched there is attack.c:other.*, not attack.c:x' race OTHER=1
try 1 '^  T[23]  is in the system call futex, at no gate' race GUARD=1

# ---- orders that differ ----

try 0 'prints `[0-9]*`; but two runs of the order .* differ as well: it may have another cause$' race ATTACK=prints-pid
try 0 'one order crashes: .* is killed by signal 6 \(Aborted\); .* ends with status 0$|one order crashes: .* ends with status 0; .* is killed by signal 6 \(Aborted\)$' race ATTACK=prints-pid-and-dies

# ---- who waits only for a while ----

for w in deadlock wait lost; do
	WAITS=$w foresee record -q -o $w.foresee ./attack_waits >log 2>&1 || exit 2
	try 0 '^replayed: (deadlock|lost wakeup) of T2' $w WAITS=$w
done
try 1 'T[23] waits with a time limit, and goes on when that is over' deadlock WAITS=deadlock ATTACK=timed-lock
try 1 'does not wait: its call came back without the lock' deadlock WAITS=deadlock ATTACK=tries
try 1 'T2 waits with a time limit, and goes on when that is over' wait WAITS=wait ATTACK=timed-wait
try 1 'T2 waits with a time limit, and goes on when that is over' lost WAITS=lost ATTACK=timed-wait
for how in semaphore futex-limit poll select sigtimedwait timer socket-limit alarm interval signal-timer child-posts \
	child-kills; do
	try 1 'T2 is woken: somebody signals after all|may still signal' lost WAITS=lost ATTACK=$how
done
try 1 'the program was killed by signal 6' lost WAITS=lost ATTACK=dies

# ---- what a property looks at ----

printf 'shared int a = 0;\nshared int b = 0;\nproperty apart step write: ptltl !(a == 1 && b == 1);\n' >values.spec
foresee record -q -o values.foresee ./attack_values >log 2>&1 || exit 2
spec="-s values.spec -a property"
try 0 '^replayed: property apart violated' values A=1
try 1 'a holds 0, not 1: code that is not seen has changed it' values ATTACK=resets
try 1 'what is touched there is other, not a' values OTHER=1

# ---- files ----

${CC:-cc} -std=gnu11 -O1 -D_GNU_SOURCE -I"$SRC/src" -o damage "$SRC/tests/fuzz/damage.c" || exit 2
mkdir damaged && ./damage race.foresee damaged 5 5 20 6 || exit 2
bad=
for f in damaged/*; do
	timeout 60 foresee replay --stop --time 1 --patience 1 "$f" 1 -- ./attack >out 2>err </dev/null
	case $? in 0 | 1 | 2 | 125) ;; *) bad="$bad $f" ;; esac
done
is "$bad" "" "damaged recordings: refused, or replayed, or not"
# Damage may have a thread begin before its fork, or without one: what engines make of that the checker refuses, and a
# witness that it has refused is kept, which is said.
is "$(ls ../tmp | grep -v '^foresee-refused-')" "" "and nothing is left behind"
done_testing
