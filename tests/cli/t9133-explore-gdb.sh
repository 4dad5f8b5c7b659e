#!/usr/bin/env bash
# A debugger where a schedule fails: gdb, by what is typed into it.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

mkdir tmp && export TMPDIR=$TEST_DIR/tmp
programs=$SRC/tests/programs/explore
for name in transfer account lost_update late_user; do
	foresee-cc -g -O1 -pthread "$programs/$name.c" -o $name && timeout 300 foresee explore -q ./$name >/dev/null 2>&1
	[ -s $name.schedule ] || exit 2
done
cp "$SRC/examples/landing.c" "$SRC/examples/landing.spec" .
foresee-cc -g -O1 -pthread landing.c -o landing && timeout 300 foresee explore -q -s landing.spec ./landing >/dev/null 2>&1
[ -s landing.schedule ] || exit 2

cat >racy.c <<'EOT'
#include <pthread.h>
static int x, y;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *adds(void *arg)
{
	pthread_mutex_lock(&m);
	y++;
	pthread_mutex_unlock(&m);
	x = 1;
	y = 2;
	return arg;
}
static void *reads(void *arg)
{
	pthread_mutex_lock(&m);
	y++;
	pthread_mutex_unlock(&m);
	return x ? NULL : arg;
}
int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, adds, NULL);
	pthread_create(&t[1], NULL, reads, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
EOT
foresee-cc -g -O1 -pthread racy.c -o racy && timeout 300 foresee explore -q --strategy guided ./racy >said 2>&1
race=$(sed -n '/data race on x/,/again:/s/^  again: foresee replay //p' said)
[ -s "$race" ] || exit 2

# Without one it is said before the program runs.
FORESEE_GDB=/nowhere/gdb run foresee replay --gdb transfer.schedule
is "$status" 125 "no gdb: own failure"
has err "^foresee: there is no '/nowhere/gdb': install gdb" "no gdb: what to do"

command -v gdb >/dev/null || skip_all "no gdb"
sleep 100 &
pid=$!
gdb -batch -p $pid -ex quit >attached 2>&1
kill $pid
grep -qi 'not permitted\|could not attach' attached && skip_all "gdb may not attach"

# typed NAME SCHEDULE COMMAND...: a session.
typed() {
	local name=$1 schedule=$2

	shift 2
	printf '%s\n' "$@" | timeout 120 foresee replay --gdb "$schedule" >out 2>err
	is "$?" 0 "$name: replayed"
	is "$(ls tmp)" "" "$name: nothing is left behind"
}
# values: what print has shown.
values() {
	sed -n 's/.*\$[0-9]* = //p' out | paste -sd' '
}

typed "deadlock" transfer.schedule 'print accounts[0].m.__data.__lock' 'print accounts[1].m.__data.__lock'
has out '^foresee: deadlock$' "deadlock: the banner"
has out '^  thread [23]  T2, before: lock accounts' "deadlock: where one stands"
has out '^  thread [23]  T3, before: lock accounts' "deadlock: where the other does"
is "$(grep -cE '^#[0-9]+ .* in move \(' out)" 4 "deadlock: both stacks"
is "$(values)" "2 2" "deadlock: for locks that are taken"
hasnt out 'foresee-step' "deadlock: there is no next step"
has out '^deadlock, in a schedule of' "deadlock: and the report"

typed "assertion" account.schedule backtrace 'print balance'
has out 'received signal SIGABRT' "assertion: at the signal"
has out '^(\(gdb\) )?#[0-9]+ .*main \(' "assertion: where it is"
has out '^\(gdb\) \$1 = -' "assertion: with what is wrong"

typed "status" lost_update.schedule foresee-next foresee-free
has out '^foresee: step [0-9]+ of the run is next, of T[0-9]$' "status: before the last step"
has out 'exited with code 03' "status: and to the end"

typed "race" "$race" 'print x' 'foresee-step' 'print x' foresee-free
has out '^foresee: data race on x$' "race: the banner"
has out '^  thread [23]  T2, before: write x$' "race: one before its access"
has out '^  thread [23]  T3, before: read x$' "race: the other before its own"
is "$(values)" "0 1" "race: the first, and its step"
has out '^(\(gdb\) )?data race on x, which nothing orders$' "race: and the report"
again=0
for ((i = 0; i < 20; i++)); do timeout 60 foresee replay "$race" >out 2>&1 && again=$((again + 1)); done
is "$again" 20 "race: its schedule runs again, 20 of 20"

typed "use after free" late_user.schedule 'print mine->magic' foresee-free
has out '^foresee: use after free$' "use after free: the banner"
has out '^#[0-9]+ .* worker \(arg=' "use after free: before the access"
hasnt out 'foresee-step' "use after free: there is no next step"

typed "property" landing.schedule 'print landing' foresee-step 'print landing' 'print radio' foresee-free
has out "^foresee: property 'land' is violated$" "property: the banner"
has out '^#[0-9]+ .* controller \(' "property: who is about to"
is "$(values)" "0 1 0" "property: before the step, and behind it"
has out 'exited normally' "property: to the end"

typed "back" landing.schedule foresee-step foresee-back 'print landing'
is "$(values)" 0 "back: it is as before"
is "$(grep -c "^foresee: property 'land' is violated$" out)" 2 "back: twice at the point"

# Not as the file says: no debugger.
sed -i 's/^outcome .*/outcome status 9/' lost_update.schedule
run timeout 120 foresee replay --gdb lost_update.schedule
is "$status" 1 "another end: is said by the status"
hasnt out 'Attaching' "another end: no debugger"
done_testing
