#!/usr/bin/env bash
# What stops somebody on the first evening, one after the other: what is said of it, or what is done.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

# ---- a program that hangs or crashes, and threads that had not begun ----
cat >crash.c <<'EOF'
#include <stdlib.h>
int main(void)
{
	abort();
}
EOF
run foresee run -q -f json crash.c
is "$status" 1 "a crash is found"
has out '"program": \{"status": 134, "signal": 6' "JSON says how the program ended"
cat >left.c <<'EOF'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg)
{
	pthread_mutex_lock(&m);
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_mutex_lock(&m);
	for (int i = 0; i < 10; i++)
		pthread_create(&t, 0, work, 0);
	return 0;
}
EOF
run foresee run -q left.c
hasnt out '^no race or deadlock in any run' "not everything was seen: that is not claimed"
has out 'these threads waited|had not begun' "and why it is not"

# ---- what the source says is what runs ----
cat >twice.c <<'EOF'
#include <pthread.h>
static int x;
static void *writes(void *arg) { x = 1; return arg; }
static void *reads(void *arg) { int y = x; (void)y; return arg; }
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, writes, 0);
	pthread_create(&b, 0, reads, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
EOF
run foresee run twice.c
has out '^1  data race on x ' "a read that an optimiser takes away is there"
has err '^foresee: compiled twice\.c with -O0: what the source says is what runs$' "the level is said"
has out 'x\.foresee|twice\.c:3 in writes' "with its place"
run foresee run -O2 twice.c
is "$status" 0 "-O2: it is gone"
has err '^foresee: compiled twice\.c with -O2$' "and that level is said"
run foresee run -O9 twice.c
is "$status" 2 "no such level"
foresee-cc -g -pthread twice.c -o twice
run foresee run -O1 ./twice
is "$status" 2 "a program is built already"

# ---- what to type next can be pasted ----
mkdir "it's a dir"
cp "$SRC/examples/audit.c" "it's a dir/my audit.c"
run foresee run "it's a dir/my audit.c" 1 'two words'
sed -n 's/^[a-z ]*:  *\(foresee \(check\|verify\|run\) .*\)/\1/p' out >commands
is "$(wc -l <commands)" 3 "three commands"
while read -r line; do
	run bash -c "$line"
	case $line in
	*verify*) is "$status" 0 "pasted: $line" ;;
	*) is "$status" 1 "pasted: $line" ;;
	esac
done <commands
has out 'replayed' "the last one replays"
rm -rf -- *.proofs
run foresee check "my audit.foresee"
has out "^replay one: +foresee replay 'my audit\.foresee' 1 -- PROGRAM$" "the program that was compiled for one run is gone, and the command says so"
run foresee check audit.foresee
is "$status" 2 "a trace that is not there"

# ---- locks by their names in structs ----
${CC:-cc} -O1 -c -o order.o "$SRC/tests/programs/order.c" || exit 2
cat >names.c <<'EOF'
#include <pthread.h>
struct inner { pthread_mutex_t q; };
struct account { pthread_mutex_t m; int v; pthread_mutex_t k; struct inner in; } a, table[2];
static void both(pthread_mutex_t *x, pthread_mutex_t *y)
{
	pthread_mutex_lock(x);
	pthread_mutex_lock(y);
	pthread_mutex_unlock(y);
	pthread_mutex_unlock(x);
}
void order_see(int n), order_at(int n); /* in turns that the recorder does not see, so that it ends well */
static void *one(void *arg) { both(&a.m, &a.k); both(&a.in.q, &table[1].m); order_at(0); return arg; }
static void *other(void *arg) { order_see(1); both(&a.k, &a.m); both(&table[1].m, &a.in.q); return arg; }
int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, one, 0);
	pthread_create(&u, 0, other, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
EOF
foresee-cc -O0 -g names.c order.o -o names -lpthread || exit 2
run foresee run -q ./names
has out '^[12]  deadlock of T[23] and T[23] on (a\.k, a\.m|a\.m, a\.k) ' "the first member has a name of its own"
has out '^[12]  deadlock of T[23] and T[23] on (a\.in\.q, table\[1\]\.m|table\[1\]\.m, a\.in\.q) ' "in structs in arrays, too"
run foresee run -q -f json ./names
is "$(python3 -c 'import json; print(all(isinstance(f["objects"], list) for f in json.load(open("out"))["findings"]))')" True "JSON: objects is a list"

# ---- a race that is meant ----
cat >meant.c <<'EOF'
#include <foresee.h>
#include <pthread.h>
static int hits;
static void *count(void *arg) { hits++; return arg; }
int main(void)
{
	pthread_t a, b;
#ifdef SAID
	FORESEE_BENIGN(&hits, sizeof(hits), "a rough count");
#endif
	pthread_create(&a, 0, count, 0);
	pthread_create(&b, 0, count, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
EOF
run foresee run meant.c
has out '^a race is meant: +_Atomic or FORESEE_BENIGN in the source says so: foresee help annotations$' "a hint"
{ echo '#define SAID'; cat meant.c; } >said.c
run foresee run said.c
is "$status" 0 "FORESEE_BENIGN: no finding"
has out '^1 race declared benign by the program, not shown\.$' "but counted"
run foresee help annotations
has out 'FORESEE_BENIGN' "help has it"
has out '__has_feature\(thread_sanitizer\)' "and what becomes of a sanitizer's annotations"
cat >feature.c <<'EOF'
#if defined(__SANITIZE_THREAD__) || defined(__FORESEE__)
int main(void) { return 0; }
#else
#error foresee-cc is not known
#endif
EOF
ok "what it advises is so" foresee-cc feature.c -o feature

# ---- many findings ----
awk 'BEGIN {
	print "T1|fork(T2)|a.c:1"
	for (i = 0; i < 40; i++) print "T1|w(s.f" i % 2 ")|a.c:" 10 + i
	for (i = 0; i < 40; i++) print "T2|r(s.f" i % 2 ")|b.c:" 10 + i }' >many.std
run foresee check many.std
[ "$(wc -l <out)" -lt 2000 ]
is $? 0 "800 findings do not fill the screens"
has out '^fix this first: s, in 21 of 21 findings$' "what they have in common"
cat >common.c <<'EOF'
#include <pthread.h>
static struct { int a, b, c; } stats;
static void count(void)
{
	stats.a++;
	stats.b++;
	stats.c++;
	stats.a++;
	stats.b++;
}
static void *work(void *arg)
{
	count();
	return arg;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, work, 0);
	pthread_create(&b, 0, work, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
EOF
cp out many.out
run foresee run -q common.c
has out '^fix this first: count \(common\.c\), in [0-9]+; stats, in ([0-9]+) of \1 findings$' "in a program, the function too"
cp many.out out
has out '^[0-9]+ of them in one line each: -v tells all in full' "which is said"

# ---- size ----
[ "$(du -k "my audit.foresee" | cut -f1)" -le 100 ]
is $? 0 "a small trace is small on disk"

# ---- README ----
[ "$(wc -l <"$SRC/README.md")" -lt 260 ]
is $? 0 "the front page is short"
[ "$(grep -n '!\[' "$SRC/README.md" | head -1 | cut -d: -f1)" -lt 20 ]
is $? 0 "and has a picture on its first screen"
ok "which is there" test -s "$SRC/doc/report.png"
done_testing
