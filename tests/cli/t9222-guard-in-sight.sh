#!/usr/bin/env bash
# Where all that a spec names are variables that no pointer leads to, functions that do not name them run without a hook.
# No access is missed: what is watched is counted as in a program without twins, whose accesses all have hooks, and where
# a pointer may lead to it every access asks.
. "$(dirname "$0")/../lib.sh"

cat >t.c <<'C'
#include <foresee.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct whole { pthread_mutex_t lock; int a, x; struct { short s; char c; unsigned bits : 5; } in; long many[40]; };
static struct whole w = { .lock = PTHREAD_MUTEX_INITIALIZER };
static int plain, other = 3, set_up, row[16], last_row[4], always = 1;
static volatile int polled;
static long sum, sink;
static double real;
static struct whole copy;

#define APART __attribute__((noinline))
#define NEXT FORESEE_EVENT("step") /* what is violated twice running is counted once */
static APART void *here(void) { return __builtin_return_address(0); }

static APART int counts(void)
{
	static int calls; /* one of its own */

	return ++calls;
}
static APART void loops(int n)
{
	for (int i = 0; i < n; i++)
		row[i] += always;
	for (int i = 0; i < n; i++)
		plain += row[i] & 1;
	for (int i = 0; i < n; i += 2)
		for (int k = 0; k < n; k++)
			w.many[k] = i + row[k];
}
static APART int chooses(int which)
{
	return which & 1 ? w.x : plain; /* one load of one of two, as the optimiser has it */
}
static APART void puts_one(int which, int v)
{
	if (which & 1)
		w.x = v;
	else
		plain = v;
}
static APART void whole(void)
{
	copy = w;
	memset(row, always, sizeof(row));
	memcpy(&w.many[3], row, 8);
	memmove(&row[1], &row[0], 12);
	w.in.bits = 3;
	w.in.s++;
	real += plain;
}
static APART void locked(void)
{
	pthread_mutex_lock(&w.lock);
	w.a++;
	pthread_mutex_unlock(&w.lock);
}
static APART void atomics(void)
{
	__atomic_fetch_add(&plain, 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&w.x, 4, __ATOMIC_RELEASE);
	sink += __atomic_load_n(&plain, __ATOMIC_RELAXED);
}
static APART int waits(long *p)
{
	int rounds = 0;

	while (polled < 9 && rounds < 20) { /* and no pointer leads there: p is stored to all the same */
		*p = rounds++;
		polled = polled + 1;
	}
	return rounds;
}
static APART void deep(int n)
{
	if (n > 0)
		deep(n - 1);
	else
		plain = n;
}
static APART void *place_of_other(void) { other += always; return (char *)here() - 1; }
static APART void *place_of_plain(void) { plain += always; return (char *)here() - 1; }
static APART void *place_of_set_up(long *p) { *p = set_up; return (char *)here() - 1; }
static APART void *place_of_none(long *p) { *p = 1; return (char *)here() - 1; }
static APART long middle(long *p) { return (long)place_of_none(p) + (long)place_of_plain(); }
static void *thread(void *arg)
{
	for (int i = 0; i < 3; i++) {
		locked(); NEXT;
	}
	sink += set_up;
	return arg;
}

#ifdef LED
/* A pointer leads to it, this way or that. */
int **way;
static int *ways[] = { &plain, 0 };
static APART void lead(int *p) { *p = always; }
#if LED == 1
static APART void out(void) { lead(&plain); }
#elif LED == 2
static APART void out(void) { way = ways; **way = always; }
#elif LED == 3
static APART void out(void) { lead((int *)((unsigned long)&plain + (unsigned long)(always - 1))); }
#elif LED == 4
static APART void out(void) { int *p = always ? &plain : &row[1]; for (int i = 0; i < always; i++, p++) *p = i; }
#elif LED == 5
static APART void out(void) { int *p; __asm__("" : "=r"(p) : "0"(&plain)); *p = always; }
#endif
#else
static APART void out(void) { }
#endif

int main(int argc, char **argv)
{
	long on_stack, *heap = calloc(4, sizeof(long));
	pthread_t t;

	set_up = argc;
	pthread_create(&t, 0, thread, argv);
	pthread_join(t, 0); NEXT;
	sum += counts() + counts(); NEXT;
	loops(16); NEXT;
	for (int i = 0; i < 6; i++) {
		sink += chooses(i + argc); NEXT;
		puts_one(i + argc, i); NEXT;
	}
	whole(); NEXT;
	locked(); NEXT;
	atomics(); NEXT;
	sink += waits(&on_stack) + waits(heap); NEXT;
	deep(9); NEXT;
	out(); NEXT;
	last_row[argc & 3] = (int)sum; NEXT;
	sink += last_row[(argc + 1) & 3] + (long)w.in.c; NEXT;
	sink += middle(heap); NEXT;
	printf("%d %d %d %d\n", (int)((char *)place_of_other() - (char *)main), (int)((char *)place_of_plain() - (char *)main),
		(int)((char *)place_of_set_up(heap) - (char *)main), (int)((char *)place_of_none(heap) - (char *)main));
	fprintf(stderr, "%d %ld %d %g %d\n", plain, w.many[5] + w.a + w.x, row[3], real, polled);
	free(heap);
	return 7;
}
C
# spec VARIABLE...: counts what is done with each.
spec() {
	local v n=0
	for v; do
		n=$((n + 1))
		echo "shared ${type-int} $v; event w$n = write($v); event r$n = read($v);"
		echo "property writes$n: mttl @any(!w$n()) handler count; property reads$n: mttl @any(!r$n()) handler count;"
	done
}
spec w.x w.a plain >some.spec
spec 'row[5]' 'last_row[1]' polled counts.calls >more.spec
spec other >other.spec
spec set_up >set_up.spec
(type=long spec 'w.many[7]' 'w.many[39]' && type=double spec real | sed 's/\([wrp][a-z]*\)1/\19/g') >wide.spec
type=long spec 'w.many[7]' >part.spec
(type=short spec w.in.s) >short.spec
specs='some more other set_up wide short'

# build FILE OPTIONS: as t, and without twins as u.
build() {
	foresee-cc -g -pthread "$@" -o t && FORESEE_TWINS=no foresee-cc -g -pthread "$@" -o u || exit 2
}

# counted SPEC PROGRAM: what is said of that, and what the program says.
counted() {
	timeout 60 foresee guard -q -s "$1" ./$2 2>&1 >said || [ $? = 7 ] || echo "status $?"
}

# twins: of the functions whose places were printed, in a line.
twins() {
	local main at
	main=$((0x$(nm t | sed -n 's/ T main$//p')))
	for at in $(cat said); do
		nm -S t | sed -n 's/^\([0-9a-f]*\) \([0-9a-f]*\) [tT] place_of_\(.*\)$/\1 \2 \3/p' | while read -r from size name; do
			[ $((main + at)) -ge $((0x$from)) ] && [ $((main + at - 0x$from)) -lt $((0x$size)) ] && echo "$name"
		done
	done | tr '\n' ' '
}

for llvm in $FORESEE_LLVMS; do
	for level in -O0 -O1 -O2 -O3; do
		export FORESEE_LLVM=$llvm
		build $level t.c
		for s in $specs; do
			counted $s.spec u >all
			counted $s.spec t >some
			ok "LLVM $llvm $level, $s: what is touched is seen" grep -q 'was violated' all
			is "$(cat some)" "$(cat all)" "LLVM $llvm $level, $s: all of it, where pointers are trusted"
		done
	done
	foresee-cc -g -O2 -pthread t.c -o t || exit 2
	counted some.spec t >some
	is "$(twins)" "other.trusting plain.guarded set_up.trusting none.trusting " "LLVM $llvm: only where a variable is named there are hooks"
	counted other.spec t >some
	is "$(twins)" "other.guarded plain.trusting set_up.trusting none.trusting " "LLVM $llvm: of another one, elsewhere"
	counted set_up.spec t >some
	is "$(twins)" "other.trusting plain.trusting set_up.trusting none.trusting " "LLVM $llvm: what main sets up is no event where it is read"
	counted part.spec t >some
	is "$(twins)" "other.trusting plain.trusting set_up.trusting none.trusting " "LLVM $llvm: and a part of a struct"
done

unset FORESEE_LLVM
# --- objects that have no twins but those without hooks ---
for level in -O0 -O2; do
	build $level t.c
	FORESEE_TWINS=bare foresee-cc -g $level -pthread t.c -o t || exit 2
	for s in $specs; do
		counted $s.spec u >all
		counted $s.spec t >some
		is "$(cat some)" "$(cat all)" "$level, bare, $s: all is seen"
	done
done
counted some.spec t >some
is "$(twins)" "other.trusting plain set_up.trusting none.trusting " "what names a variable runs itself"

# --- where a pointer may lead to it ---
for led in 1 2 3 4 5; do
	for level in -O2 -O0; do
		build $level -DLED=$led t.c
		counted some.spec u >all
		counted some.spec t >some
		is "$(cat some)" "$(cat all)" "$level, a pointer leads to it ($led): all is seen"
	done
	is "$(twins)" "other.guarded plain.guarded set_up.guarded none.guarded " "every access asks"
done
sed 's/^static int plain, /int plain; static int /' t.c >global.c
build -O1 global.c
counted some.spec u >all
counted some.spec t >some
is "$(cat some)" "$(cat all)" "a variable that other files may know: all is seen"
is "$(twins)" "other.guarded plain.guarded set_up.guarded none.guarded " "every access asks"
done_testing
