#!/usr/bin/env bash
# verify TRACE WITNESS: certified, or the first rule broken, or refused.
. "$(dirname "$0")/../lib.sh"

cat >a.std <<'END'
T1|w(x)|a.c:1
T1|acq(m)|a.c:2
T1|rel(m)|a.c:3
T2|acq(m)|b.c:1
T2|rel(m)|b.c:2
T2|r(x)|b.c:3
END
printf 'witness 1\nkind race\ntarget 1 6\nrelaxed 6\norder T2:1-2\n' >good
run foresee verify a.std good
is "$status" 0 "a witness that holds"
has out '^certified: race of events 1 and 6: T1 write at a.c:1, T2 read at b.c:3$' "is certified"
hasnt out 'see another write' "the read after the write sees what it saw"
sed 's/1 6/6 1/' good >turned
run foresee verify a.std turned
has out '^reads that see another write: 6$' "before the write it does not"

printf 'witness 1\nkind race\ntarget 1 6\norder 4\n' >gap
run foresee verify a.std gap
is "$status" 1 "a witness that does not"
has out '^not certified: event 6 \(T2 r, b.c:3\): is not the next event of its thread after the order: event 5 is$' \
	"says what broke, where, and what was expected"

printf 'witness 1\nkind race\ntarget 1 6\norder 1 2 4\n' >lock
run foresee verify a.std lock
is "$status" 1 "a lock held twice"
has out 'event 4 \(T2 acq, b.c:1\): T1 holds m here' "is named"

# The digest: another trace is refused, a layout is not.
printf 'witness 1\ntrace %064d\nkind race\ntarget 1 6\norder T2:1-2\n' 0 >digest
run foresee verify a.std digest
is "$status" 2 "a witness for another trace"
has err 'is a witness for another trace' "is refused"
sum=$(sed -n 's/.*this is *\([0-9a-f]*\)$/\1/p' err)
printf 'witness 1\ntrace %s\nkind race\ntarget 1 6\norder T2:1-2\n' "$sum" >digest
ok "with the right digest it is taken" foresee verify a.std digest
{ echo '# a comment'; sed 's/$/\r/' a.std; } >layout.std
ok "comments and line ends do not count" foresee verify layout.std digest
sed 's/T2|r(x)/T2|w(x)/' a.std >other.std
run foresee verify other.std digest
is "$status" 2 "an event that differs does"

# Models.
cat >dep.std <<'END'
#fmt 1
T1|w(y)|1
T1|r(x)~=0|2
T1|w(x)<2=1|3
T2|r(x)~=1|4
T2|w(x)<4=2|5
T2|w(y)|6
END
printf 'witness 1\nkind race\ntarget 1 6\nmodel dep\norder 4 5\n' >dep
run foresee verify dep.std dep
is "$status" 0 "by the dependency-aware model"
has out '^free reads whose value may differ \(model dep\): 4$' "with its tainted reads"
run foresee verify --strict dep.std dep
is "$status" 1 "not when every read binds"
has out 'sees the initial value, not the write of event 3 as observed' "for that reason"
grep -v model dep >strict
run foresee verify dep.std strict
is "$status" 1 "which is what a witness without a model means"

printf '#fmt 1\nT1|w(x)=1|1\nT2|r(x)=1|2\nT2|w(y)|3\nT3|w(x)=1|4\nT4|r(y)|5\n' >same.std
printf 'witness 1\nkind race\ntarget 3 5\norder 4 2\n' >same
run foresee verify same.std same
is "$status" 1 "a write of the same value is another write"
ok "unless values count" foresee verify --values same.std same

# Deadlocks and waits.
cat >dead.std <<'END'
T1|acq(l)|a.c:1
T1|acq(m)|a.c:2
T1|rel(m)|a.c:3
T1|rel(l)|a.c:4
T2|acq(m)|b.c:1
T2|acq(l)|b.c:2
T2|rel(l)|b.c:3
T2|rel(m)|b.c:4
END
printf 'witness 1\nkind deadlock\ntarget 2 6\norder 1 5\n' >dead
run foresee verify dead.std dead
is "$status" 0 "a deadlock"
has out '^certified: deadlock of events 2 and 6: T1 lock m at a.c:2, T2 lock l at b.c:2$' "says of what"
printf 'witness 1\nkind deadlock\ntarget 2 5\norder 1\n' >free
run foresee verify dead.std free
is "$status" 1 "a lock that is free"
has out 'event 2 \(T1 acq, a.c:2\): none of the other threads holds m here so that it must wait$' "keeps nobody"
sed 's/order 1 5/order 1 5 2 6/' dead >through
run foresee verify dead.std through
is "$status" 1 "an order that goes on past the requests"
has out 'event 2 \(T1 acq, a.c:2\): T2 holds m here' "is refused"
printf 'T1|fork(T2)|1\nT2|acq(l)|2\nT2|rel(l)|3\nT1|acq(l)|4\nT1|join(T2)|5\n' >join.std
printf 'witness 1\nkind join-holding-lock\ntarget 2 5\norder 1 4\n' >join
run foresee verify join.std join
has out '^certified: join-holding-lock of events 2 and 5: T2 lock l at 2, T1 join T2 at 5$' "a join"
cat >wait.std <<'END'
#fmt 1
T1|acq(m)|1
T1|rel(m)!wait|2
T1|park(c,m)|3
T2|signal(c)|4
T1|wake(c)<4|5
T1|acq(m)!wait|6
END
printf 'witness 1\nkind lost-wakeup\ntarget 2 4\norder 4 1\n' >wait
run foresee verify wait.std wait
is "$status" 0 "a lost wakeup"
has out '^certified: lost-wakeup of events 2 and 4: T1 unlock m at 2, T2 signal c at 4$' "is certified"
{ cat wait.std; echo 'T3|signal(c)|7'; } >more.std
run foresee verify more.std wait
is "$status" 1 "with a signal left"
has out 'not certified: event 2 .*another signal of its condition is left.*: no more than a warning$' "it may not be lost"

# A wait that has begun.
cat >nested.std <<'END'
#fmt 1
T1|acq(m)|1
T1|acq(g)|2
T1|rel(m)!wait|3
T1|park(c,m)|4
T2|acq(m)|5
T2|req(g)|6
END
printf 'witness 1\nkind wait-holding-lock\ntarget 3 6\norder 1 2 3 4 5\n' >nested
run foresee verify nested.std nested
is "$status" 0 "a wait that has begun"
has out '^certified: wait-holding-lock of events 3 and 6: T1 unlock m at 3, T2 .* g at 6$' "with a lock that was asked for"

# Accesses that were not recorded.
cat >two.c <<'END'
#include <pthread.h>
#include "order.h"
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
int kept, left;
static void both(pthread_mutex_t *one, pthread_mutex_t *two)
{
	pthread_mutex_lock(one);
	pthread_mutex_lock(two);
	kept++;
	left++;
	pthread_mutex_unlock(two);
	pthread_mutex_unlock(one);
}
static void *forth(void *arg) { both(&a, &b); order_at(0); return arg; }
static void *back(void *arg) { order_see(1); both(&b, &a); return arg; }
int main(void)
{
	pthread_t t, u;
	pthread_create(&t, NULL, forth, NULL);
	pthread_create(&u, NULL, back, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
END
# numbers TRACE: a witness, by the second lock of each thread.
numbers() {
	foresee print "$1" | awk '{ split($2, at, ":"); t = at[1] }
		$3 == "fork" { forks = t ":1-" at[2] }
		$3 == "lock" && n[t]++ { target = target " " $1; order = order " " t ":1-" at[2] - 1 }
		END { print "witness 1\nkind deadlock\ntarget" target "\norder " forks order }'
}
GAP='this run is possible only as far as the recorded events go$'
${CC:-cc} -O1 -c -o order.o "$SRC/tests/programs/order.c" || exit 2
${CC:-cc} -g -pthread -I"$SRC/tests/programs" two.c order.o -o plain && foresee record -q --locks-only -o locks.foresee ./plain
numbers locks.foresee >w
run foresee verify locks.foresee w
is "$status" 0 "without accesses a witness holds"
has out '^certified: deadlock of events ' "is certified"
has out "^accesses were not recorded \(--locks-only\): $GAP" "and that they are missing is said"
if command -v foresee-cc >/dev/null; then
	foresee-cc -g -pthread -I"$SRC/tests/programs" two.c order.o -o seen
	for option in '' --only=kept --ignore=left; do
		foresee record -q $option -o part.foresee ./seen
		numbers part.foresee >w
		run foresee verify part.foresee w
		has out '^certified: deadlock of events ' "with ${option:-all accesses}: certified"
		if [ "$option" ]; then
			has out "^some accesses were not recorded \(--only, --ignore\): $GAP" "$option: and what is missing"
		else
			hasnt out "$GAP" "nothing is missing"
		fi
	done
fi

# Trouble.
run foresee verify a.std nosuch
is "$status" 2 "no witness"
printf 'witness 1\nkind race\ntarget 1 9\norder\n' >bad
run foresee verify a.std bad
is "$status" 2 "a witness that cannot be read"
has err "bad:3:10: event 9 is not in the trace, which has 6" "names file, line and column"
run foresee verify nosuch good
is "$status" 2 "no trace"
run foresee verify a.std good good
is "$status" 2 "too many files"
ok "a trace alone is checked against itself" foresee verify a.std
has out '^consistent: ' "as before"
done_testing
