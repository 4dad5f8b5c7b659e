#!/usr/bin/env bash
# Properties of a spec, judged in every schedule.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

mkdir tmp && export TMPDIR=$TEST_DIR/tmp

explore() {
	run timeout 300 foresee explore -q --time 200 "$@"
	is "$(ls tmp)" "" "nothing is left in the temporary directory: $*"
}

# ---- variables that no two threads share: their order counts all the same
cat >land.c <<'END'
#include <pthread.h>
#include <string.h>

int landing, approved, radio = 1;
struct { int a, b; } pair;

static void *controller(void *arg)
{
	approved = 1;
#ifdef FIXED
	approved = 2;
#endif
	landing = 1;
	return arg;
}

static void *tower(void *arg)
{
	static const int both[2] = { 7, 7 };

	radio = 0;
	memcpy(&pair, both, sizeof(pair));
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, controller, NULL);
	pthread_create(&b, NULL, tower, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
END
foresee-cc -g -O0 -pthread land.c -o land && foresee-cc -g -O0 -pthread -DFIXED land.c -o land.good || exit 2
spec() {
	cat >"$1"
}
spec land.spec <<'END'
shared int landing = 0;
shared int approved = 0;
shared int radio = 1;
property land step write: ptltl start(landing == 1) -> approved == 2 || [approved == 1, radio == 0);
END
explore --strategy dpor ./land
has out ': no failure; these are all that make a difference, 1 order$' "without a spec: one order"
for strategy in dpor bounded random pos pct auto; do
	explore --strategy $strategy -s land.spec ./land
	is "$status" 1 "violated, $strategy: found"
	has out "^1  property 'land' is violated, in a schedule of [0-9]+ steps with 0 preemptions$" "violated, $strategy: what"
	has out '^  with landing = 1, approved = 1, radio = 0, by T2 at land.c:[0-9]+ in controller$' "violated, $strategy: where, and the values"
done
has land.schedule "^spec $TEST_DIR/land.spec$" "violated: the schedule knows the spec"
for i in 1 2 3; do
	run foresee replay land.schedule
	is "$status" 0 "violated: replayed, $i"
	has out "^property 'land' is violated, in a schedule" "violated: as it was, $i"
done
explore -s land.spec -f json ./land
has out '"property": *\{"name": *"land", *"error": *false, *"values": *"landing = 1, approved = 1, radio = 0", *"at": *\{"thread": *"T2", *"file": *"land.c"' "violated, json"
explore -s land.spec --strategy dpor ./land.good
is "$status" 0 "holds: explored to the end"
# Three writes of one thread and one of the other: as many orders as there are places for the one.
has out ': no failure; these are all that make a difference, 4 orders$' "holds: all orders of what counts"
explore -s land.spec --strategy bounded --bound 9 ./land.good
has out ': no failure; these are all$' "holds: all schedules"

# A copy of two variables is one step.
spec pair.spec <<'END'
shared int pair.a;
shared int pair.b;
property both: ptltl pair.a == pair.b;
END
explore -s pair.spec --strategy dpor ./land
is "$status" 0 "copy: both at once"

# ---- events of all kinds
cat >events.c <<'END'
#include <foresee.h>
#include <pthread.h>
#include <stdlib.h>

int shared_x, seen;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static __thread volatile int local;

void file_open(int n) { local = n; }
void file_close(int n) { local = -n; }

static void *user(void *arg)
{
	file_open(3);
	file_close(3);
	FORESEE_EVENT1("request", 1);
	return arg;
}

static void *other(void *arg)
{
	FORESEE_ATOMIC_BEGIN("transfer");
	pthread_mutex_lock(&m);
	local = shared_x;
	pthread_mutex_unlock(&m);
	FORESEE_ATOMIC_END();
	FORESEE_INTERNAL("phase", 2);
	__atomic_fetch_add(&seen, 5, __ATOMIC_RELAXED);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, user, NULL);
	pthread_create(&b, NULL, other, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
END
FORESEE_CALLS=file_open,file_close foresee-cc -g -O0 -pthread events.c -o events || exit 2
# Each says that the first cannot come before the second; it can, in some schedule.
i=0
while IFS='|' read -r name declarations first second; do
	for way in "$first|$second" "$second|$first"; do
		i=$((i + 1))
		printf '%s\n' "$declarations" "event a = ${way%|*};" "event b = ${way#*|};" 'property p: ptltl a() -> once b();' >e$i.spec
		explore -s e$i.spec --strategy dpor ./events
		is "$status" 1 "$name: ${way%|*} without ${way#*|} before it"
		has out "^1  property 'p' is violated" "$name: what, $i"
		run foresee replay events.schedule
		is "$status" 0 "$name: replayed, $i"
	done
done <<'END'
call and begin||call(file_open)|begin(transfer)
call with its argument, and a lock||call(file_close, 3)|acq(m)
user event and end||user(request, 1)|end()
a lock given back, and a call||rel(m)|call(file_open)
any lock, and a user event||acq()|user(request)
a read, and a call|shared int shared_x;|read(shared_x)|call(file_close)
an update, and a call|shared int seen;|write(seen) when seen == 5|call(file_open)
one thread by its function, the other by its number|thread t2 = 2; thread other = "other"; shared int seen;|write(seen) by other|call(file_open) by t2
END
# What is always so.
printf '%s\n' 'event open = call(file_open);' 'event close = call(file_close);' 'thread u = "user";' 'event made = fork(u);' \
	'event joined = join(2);' 'property order: ptltl close() -> once open();' 'property born: ptltl open() -> once made();' \
	'property late: ptltl joined() -> once close();' >always.spec
explore -s always.spec --strategy dpor ./events
is "$status" 0 "always so: explored to the end"
has out ': no failure; these are all that make a difference, ' "always so: is said"
# A variable that only the spec has.
printf '%s\n' 'shared int phase = 0;' 'event open = call(file_open);' 'property p: ptltl open() -> phase == 0;' >phase.spec
explore -s phase.spec --strategy dpor ./events
has out "^1  property 'p' is violated" "of the spec alone: found"
# Compiled with what the spec wants to know.
explore -s e1.spec --strategy dpor events.c
has out "^1  property 'p' is violated" "source: calls are told of"

# ---- errors and what is not known
printf '%s\n' 'shared int seen;' 'property p: ptltl 10 / (seen - 5) < 100;' >zero.spec
explore -s zero.spec --strategy dpor ./events
has out "^1  property 'p' has no value, in a schedule" "division by zero: found"
has out '^  division by zero' "division by zero: is said"
printf '%s\n' 'shared int seen = 1;' 'property p: ptltl seen > 0;' >first.spec
explore -s first.spec --strategy dpor ./events
has out "^1  property 'p' is violated, in a schedule" "at the start: found"
has out 'when main begins$' "at the start: is said"
cat >many.c <<'END'
#include <pthread.h>
int n;
static void *add(void *arg) { for (int i = 0; i < 20000; i++) n = i; return arg; }
int main(void) { pthread_t t; pthread_create(&t, 0, add, 0); pthread_join(t, 0); return 0; }
END
printf '%s\n' 'shared int n;' 'property p: ptltl n >= 0;' >many.spec
foresee-cc -g -O0 -pthread many.c -o many || exit 2
explore -s many.spec --strategy dpor ./many
is "$status" 3 "too many: nothing is called complete"
has out '^of some it is not known whether the properties hold: it did more that counts than there is room for$' "too many: is said"

# ---- refused
explore -s nowhere.spec ./land
is "$status" 2 "no such file: refused"
printf '%s\n' 'shared int landng;' 'property p: ptltl landng == 0;' >bad.spec
explore -s bad.spec ./land
is "$status" 2 "no such variable: refused"
has err "bad.spec:1:.*landng.*did you mean 'landing'" "no such variable: why"
printf '%s\n' 'event e = any();' 'property p: ptltl !e();' >bad.spec
explore -s bad.spec ./land
is "$status" 2 "any: refused"
has err "bad.spec:1:.*explore has no event 'any'" "any: why"
printf '%s\n' 'event e = write();' 'property p: ptltl !e();' >bad.spec
explore -s bad.spec ./land
has err 'bad.spec:1:.*explore wants to know of which variable' "write of anything: refused"
printf '%s\n' 'shared int landing;' 'thread t = "nobody";' 'event e = write(landing) by t;' 'property p: ptltl !e();' >bad.spec
explore -s bad.spec ./land
is "$status" 2 "no such thread: refused"
has err "bad.spec:2:.*makes no thread by a function 'nobody'" "no such thread: why"
printf '%s\n' 'shared int landing;' >bad.spec
explore -s bad.spec ./land
is "$status" 2 "no properties: refused"
done_testing
