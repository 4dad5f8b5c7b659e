#!/usr/bin/env bash
# Guarded programs run in the twins of their functions, whose accesses have hooks only where they may touch what is
# watched: none of those is missed, whatever the function or the access is like.
. "$(dirname "$0")/../lib.sh"

cat >t.c <<'C'
#include <alloca.h>
#include <dlfcn.h>
#include <foresee.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct whole { char before[13]; unsigned bits : 5; int x; short small; char behind[40]; };
typedef int vec __attribute__((vector_size(16), aligned(4), may_alias));
static struct whole w;
int open_to_all;
static int *hidden, always = 1;
static volatile int sink;
static int room[2048];
static jmp_buf env;
void *stands_in;

#define APART __attribute__((noinline))
#define NEXT FORESEE_EVENT("step") /* what is violated twice running is counted once */
static APART void plain(int *p) { *p = always; }
static APART void many(int n, ...)
{
	va_list args;

	va_start(args, n);
	while (n--)
		*va_arg(args, int *) = always;
	va_end(args);
}
static APART void jumps(int *p, int which)
{
	static void *const to[] = { &&a, &&b };

	goto *to[which];
a:
	*p = 1;
	return;
b:
	*p = 2;
}
static APART void twice(int *p)
{
	if (setjmp(env) == 0) {
		*p = always;
		NEXT;
		longjmp(env, 1);
	}
	*p = 2 * always;
}
static APART int by_value(struct whole v) { return v.x + v.behind[3]; }
static APART struct whole returned(void) { return w; }
static APART void copies(struct whole *to, const struct whole *from) { *to = *from; }
static APART void fills(char *p, size_t n) { memset(p, always, n); }
static APART void moves(char *p, const char *q, size_t n) { memmove(p, q, n); }
static APART void wide(void *p) { *(vec *)p = (vec){ 1, 2, 3, 4 } * always; }
static APART void part(char *p) { *p = (char)always; }
static APART void deep(int *p, int n) { if (n) deep(p, n - 1); else *p = always; }
static APART void loop(int *p, int n)
{
	for (int i = 0; i < n; i++)
		p[i] += always;
}
/* Loops that ask once: up, down, by steps known or not, some of it, with two ways out, beside what is watched. */
static APART long up(const int *p, long n)
{
	long sum = 0;

	for (long i = 0; i < n; i++)
		sum += p[i];
	return sum;
}
static APART void down(int *p, long n)
{
	for (long i = n; i-- > 0;)
		p[i] = p[i] * 3 + always;
}
static APART void steps(char *p, long n, long step)
{
	for (long i = 0; i < n; i++)
		*(int *)(void *)(p + i * step) ^= always;
}
static APART int some(const int *p, int *to, long n, int than)
{
	int last = 0;

	for (long i = 0; i < n; i++) {
		if (p[i] == than)
			break;
		if (p[i] & 1)
			*to += last = p[i];
		else if (i & 1)
			((short *)(void *)to)[3] ^= (short)last;
	}
	return last;
}
static APART void two(char *to, const short *from, long n)
{
	for (long i = 0; i < n; i++)
		to[4 * i] = (char)(from[4 * i] + from[4 * i + 1]);
}
static int compare(const void *a, const void *b)
{
	*hidden = always;
	NEXT;
	return *(const int *)a - *(const int *)b;
}
static void *thread(void *arg)
{
	pthread_exit((plain(arg), arg));
}
static APART void frame(size_t n)
{
	volatile char *p = alloca(n);

	p[0] = p[n - 1] = 1;
	*hidden = p[0];
}
static __attribute__((constructor)) void early(void) { hidden = &w.x; }
static APART void *here(void) { return __builtin_return_address(0); }
static APART void *where(int *p) { *p = always; return (char *)here() - 1; }

int main(int argc, char **argv)
{
	struct whole other = { .x = 5 };
	int numbers[] = { 3, 1, 2 };
	pthread_t t;
	void *lib;

	for (int i = 0; i < 100; i++)
		room[i] = 2 * i + i / 3;
	room[90] = 7;
	plain(&w.x); NEXT;
	many(2, &w.x, &open_to_all); NEXT;
	jumps(&w.x, 0); NEXT;
	jumps(hidden, 1); NEXT;
	twice(&w.x); NEXT;
	sink = by_value(w); NEXT;
	other = returned(); NEXT;
	copies(&w, &other); NEXT;
	copies(&other, &w); NEXT;
	fills(w.before, sizeof(w.before)); NEXT;
	fills(w.before, sizeof(w)); NEXT;
	fills((char *)&w.x - 1, 2); NEXT;
	fills((char *)&w.x + 3, 1); NEXT;
	moves((char *)&w.x, w.behind, 4); NEXT;
	wide((char *)&w.x - 12); NEXT;
	wide((char *)&w.x - 16); NEXT;
	wide(&w.x); NEXT;
	wide(&w.x + 1); NEXT;
	part((char *)&w.x + 3); NEXT;
	part((char *)&w.x + 4); NEXT;
	part((char *)&w.x - 1); NEXT;
	w.bits = 3; NEXT;
	w.small = 4; NEXT;
	deep(&w.x, 20); NEXT;
	loop((int *)(void *)&w, sizeof(w) / sizeof(int)); NEXT;
	sink = (int)up((int *)(void *)&w, sizeof(w) / sizeof(int)); NEXT;
	sink = (int)up(&w.x, 9); NEXT;
	sink = (int)up(&w.x - 4, 5); NEXT;
	sink = (int)up(&w.x - 4, 4); NEXT;
	sink = (int)up(&w.x + 1, 6); NEXT;
	down((int *)(void *)&w, sizeof(w) / sizeof(int)); NEXT;
	down(&w.x - 4, 4); NEXT;
	down(&w.x, 5); NEXT;
	for (long step = -12; step <= 12; step++) {
		steps((char *)&w.x - 2 * step, 5, step); NEXT;
		steps((char *)&w.x - 4 * step, 4, step); NEXT;
		steps((char *)&w.x + step, 4, step); NEXT;
	}
	steps((char *)room + 8 * 64, 1024, (long)((char *)&w.x - ((char *)room + 8 * 64)) / 1023); NEXT;
	sink = some((int *)(void *)&w, room, sizeof(w) / sizeof(int), 1 << 30); NEXT;
	sink = some(room, (int *)(void *)&w + 3, 100, 7); NEXT;
	sink = some(room, (int *)(void *)&w + 4, 100, 7); NEXT;
	sink = some(room, (int *)(void *)&w + 5, 100, 7); NEXT;
	for (int at = -9; at <= 9; at++) {
		two((char *)&w.x + at, (short *)(void *)room, 3 + (at & 1)); NEXT;
		two((char *)room, (short *)(void *)((char *)&w.x + 2 * at), 4); NEXT;
	}
	qsort(numbers, 3, sizeof(int), compare); NEXT;
	pthread_create(&t, 0, thread, hidden); NEXT;
	pthread_join(t, 0); NEXT;
	frame(100); NEXT;
	stands_in = &w.x; NEXT;
	lib = dlopen("./lib.so", RTLD_NOW); NEXT;
	if (!lib)
		return 3;
	((void (*)(int *))dlsym(lib, "library"))(&w.x); NEXT;
	w.bits = 1; /* the compiler writes four bytes of these, or one */
	printf("%d %d\n", w.x, (int)((char *)where(&w.x) - (char *)main));
	return argc == 2 ? atoi(argv[1]) : 0;
}
C
cat >lib.c <<'C'
void library(int *p);
void library(int *p) { *p = *p + 7; }
int fenced(const int *p, int n); /* a loop that may not ask once */
int fenced(const int *p, int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++) {
		sum += p[i];
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	}
	return sum;
}
C
# What it writes is counted, once by hooks where they are needed, once (flow all) by all there are.
cat >t.spec <<'S'
shared int w.x; shared int open_to_all;
event wx = write(w.x); event rx = read(w.x); event wo = write(open_to_all);
property writes: mttl @any(!wx()) handler count;
property reads: mttl @any(!rx()) handler count;
property open: mttl @any(!wo()) handler count;
S
(echo 'flow all;' && cat t.spec) >all.spec
# counted SPEC: what is said of that.
counted() {
	timeout 60 foresee guard -q -s "$1" ./t 7 2>&1 >said | grep 'was violated'
	[ "${PIPESTATUS[0]}" = 7 ] || echo "status ${PIPESTATUS[0]}"
}

# runs_in FUNCTION: was the place that it printed in there?
runs_in() {
	local at from size

	at=$((0x$(nm t | sed -n 's/ T main$//p') + $(sed 's/.* //' said)))
	read -r from size <<<"$(nm -S t | sed -n "s/ t $1\$//p")"
	test $((at - 0x$from)) -ge 0 -a $((at - 0x$from)) -lt $((0x$size))
}

for llvm in $FORESEE_LLVMS; do
	for level in -O0 -O1 -O2 -O3; do
		FORESEE_LLVM=$llvm foresee-cc -g $level -shared -fPIC lib.c -o lib.so || exit 2
		FORESEE_LLVM=$llvm foresee-cc -g $level -pthread t.c -o t -ldl || exit 2
		counted all.spec >all
		ok "LLVM $llvm $level: what is touched is seen" test -s all
		ok "LLVM $llvm $level: where every access counts, in the functions themselves" runs_in where
		counted t.spec >some
		is "$(cat some)" "$(cat all)" "LLVM $llvm $level: and all of it, where few do"
		ok "LLVM $llvm $level: in their twins" runs_in where.guarded
	done
done
foresee-cc -g -O2 -pthread t.c -o t -ldl || exit 2
counted t.spec >some
FORESEE_TWINS=no foresee-cc -g -O2 -pthread t.c -o t -ldl || exit 2
counted t.spec >without
is "$(cat without)" "$(cat some)" "FORESEE_TWINS=no: the same is seen"
is "$(nm t | grep -c '\.guarded$') $(runs_in where && echo there)" "0 there" "and there is no twin"
FORESEE_TWINS=bare foresee-cc -g -O2 -pthread t.c -o t -ldl || exit 2
counted t.spec >without
is "$(cat without)" "$(cat some)" "FORESEE_TWINS=bare: the same is seen"
is "$(nm t | grep -c '\.guarded$') $(runs_in where && echo there)" "0 there" "and there is no twin that asks"
FORESEE_TWINS=no foresee-cc -g -O2 -pthread t.c -o t -ldl || exit 2

# size FUNCTION: of its twin.
size() {
	echo $((0x$(nm -S t | sed -n "s/.* \([0-9a-f]*\) t $1\.guarded\$/\1/p")))
}
foresee-cc -g -O2 -pthread t.c -o t -ldl || exit 2
sizes="$(size up) $(size down) $(size steps) $(size some) $(size two)"
FORESEE_LOOPS=no foresee-cc -g -O2 -pthread t.c -o t -ldl || exit 2
without="$(size up) $(size down) $(size steps) $(size some) $(size two)"
ok "loops have copies that ask once: $sizes, not $without" awk -v with="$sizes" -v without="$without" 'BEGIN {
	n = split(with, a); split(without, b)
	for (i = 1; i <= n; i++)
		if (a[i] <= b[i] + 40)
			exit 1
	exit n != 5 }'
done_testing
