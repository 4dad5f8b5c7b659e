#!/usr/bin/env bash
# Order that comes from code nobody instrumented: a shared library with locks of its own, with
# callbacks, with threads; and from exceptions that leave it.  No race is predicted that the library rules
# out, and one beside the library still is.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"

here=$SRC/tests/programs
runs=${LONG:+30}
runs=${runs:-5}

${CC:-cc} -O1 -c -o order.o "$here/order.c" || exit 2

# The library: futexes and nothing of pthreads', but for the thread.
cat >lib.c <<'EOT'
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
static int word;
void lib_lock(void)
{
	while (__atomic_exchange_n(&word, 1, __ATOMIC_SEQ_CST))
		syscall(SYS_futex, &word, FUTEX_WAIT, 1, 0, 0, 0);
}
void lib_unlock(void)
{
	__atomic_store_n(&word, 0, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &word, FUTEX_WAKE, 1, 0, 0, 0);
}
void lib_locked(void (*f)(int), int n)
{
	for (int i = 0; i < n; i++) {
		lib_lock();
		f(i);
		lib_unlock();
	}
}
void lib_each(void (*f)(int), int n)
{
	for (int i = 0; i < n; i++)
		f(i);
}
static int turn;
void lib_wait(int n)
{
	while (__atomic_load_n(&turn, __ATOMIC_SEQ_CST) < n)
		usleep(100);
}
void lib_pass(void) { __atomic_fetch_add(&turn, 1, __ATOMIC_SEQ_CST); }
/* Two threads that run f one after the other, though the program knows of no order. */
static void (*job)(int);
static void *later(void *n) { lib_wait(1); job((int)(long)n); return 0; }
static void *first(void *n) { job((int)(long)n); lib_pass(); return 0; }
void lib_twice(void (*f)(int))
{
	pthread_t t, u;
	job = f;
	pthread_create(&t, 0, later, (void *)1L);
	pthread_create(&u, 0, first, (void *)0L);
	pthread_detach(t);
	pthread_detach(u);
}
EOT
${CC:-cc} -O1 -g -shared -fPIC -fexceptions lib.c -o liblib.so || exit 2
cat >lib.h <<'EOT'
#ifdef __cplusplus
extern "C" {
#endif
void lib_lock(void), lib_unlock(void), lib_locked(void (*)(int), int), lib_wait(int), lib_pass(void);
void lib_twice(void (*)(int)), lib_each(void (*)(int), int);
#ifdef __cplusplus
}
#endif
EOT

# try NAME STATUS LLVM OPTION...: NAME.c or NAME.cc, recorded and checked several times.
try() {
	local name=$1 want=$2 llvm=$3 bad=0 i cc=foresee-cc
	shift 3
	[ -e "$name.cc" ] && cc=foresee-c++
	local title="$name $* llvm $llvm"
	if ! FORESEE_LLVM=$llvm $cc -g "$@" -I"$here" -I. "$name".c* order.o -o prog -L. -llib -Wl,-rpath,"$PWD" \
		-lpthread >log 2>&1; then
		fail "$title: builds"
		note log
		return
	fi
	for ((i = 1; i <= runs; i++)); do
		timeout 60 foresee record -q -o prog.foresee ./prog >log 2>&1 || { bad="the program: $?"; break; }
		timeout 60 foresee verify prog.foresee >log 2>&1 || { bad="verify: $?"; break; }
		timeout 60 foresee check prog.foresee >log 2>&1
		[ $? = "$want" ] || { bad="check"; break; }
	done
	if [ "$bad" = 0 ]; then
		pass "$title: $runs runs"
	else
		fail "$title: run $i: $bad"
		note log
	fi
}

threads='
#include <pthread.h>
#include <lib.h>
#include <order.h>
int data;
'
main='
int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, one, 0);
	pthread_create(&u, 0, two, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}'

cat >locked.c <<EOT
$threads
static void *one(void *p) { for (int i = 0; i < 5; i++) { lib_lock(); data++; lib_unlock(); } return p; }
#define two one
$main
EOT
cat >pointers.c <<EOT
$threads
static void (*volatile lock)(void) = lib_lock, (*volatile unlock)(void) = lib_unlock;
static void *one(void *p) { for (int i = 0; i < 5; i++) { lock(); data++; unlock(); } return p; }
#define two one
$main
EOT
cat >callback.c <<EOT
$threads
static void add(int n) { data += n; }
static void *one(void *p) { lib_locked(add, 5); return p; }
#define two one
$main
EOT
cat >nested.c <<EOT
$threads
int inner;
static void add(int n) { inner += n; }
static void deep(int n) { data++; if (n == 0) lib_wait(0); data++; add(n); }
static void *one(void *p) { lib_locked(deep, 3); return p; }
#define two one
$main
EOT
cat >turns.c <<EOT
$threads
static void *one(void *p) { data = 1; lib_pass(); return p; }
static void *two(void *p) { lib_wait(1); data = 2; return p; }
$main
EOT
# The same, but the writer goes on: a race beside the order.
cat >late.c <<EOT
$threads
static void *one(void *p) { data = 1; lib_pass(); data = 3; order_at(0); return p; }
static void *two(void *p) { lib_wait(1); order_at(1); data = 2; return p; }
$main
EOT
cat >threads.c <<EOT
$threads
#include <unistd.h>
static int ends[2];
static void add(int n) { data += n + 1; if (write(ends[1], "x", 1) != 1) data = 7; }
int main(void)
{
	char c;
	if (pipe(ends) != 0)
		return 1;
	data = 1;
	lib_twice(add);
	if (read(ends[0], &c, 1) + read(ends[0], &c, 1) != 2)
		return 1;
	return data != 4;
}
EOT
cat >throws.cc <<EOT
$threads
struct stop {};
static void add(int n) { data++; if (n == 2) throw stop(); }
static void *one(void *p)
{
	lib_lock();
	try { lib_each(add, 5); } catch (stop &) { data++; }
	lib_unlock();
	return p;
}
#define two one
$main
EOT

set -- $LLVMS
for name in locked pointers callback nested turns threads throws late; do
	want=0
	[ $name = late ] && want=1
	for level in -O0 -O2; do
		try $name $want "$1" $level
		set -- "${@:2}" "$1"
	done
	[ $# -gt 1 ] && set -- "${@:2}" "$1"
done
# Addresses of the library's functions are then stubs of the program's.
for name in locked pointers callback turns late; do
	want=0
	[ $name = late ] && want=1
	try $name $want "$1" -O1 -fno-pie -no-pie
done

# What the library orders is in the recording, at the program's calls.
FORESEE_LLVM=$1 foresee-cc -g -O1 -I. -I"$here" callback.c order.o -o prog -L. -llib -Wl,-rpath,"$PWD" -lpthread
foresee record -q -o prog.foresee ./prog
foresee print prog.foresee >printed
has printed 'T2:.* give +unseen .*callback.c:.* in one' "a give at the call"
has printed 'T2:.* take +unseen .*callback.c:.* in one' "a take after it"
has printed 'T2:[0-9]+ +take +unseen 0x[0-9a-f]+$' "a take where it calls back"

# libc's own functions, and what lies beside instrumented code, bring no order.
cat >quiet.c <<EOT
$threads
#include <stdlib.h>
static void *one(void *p) { data = atoi("1") + abs((int)random()); order_at(0); return p; }
static void *two(void *p) { order_at(1); data = getenv("HOME") != 0; return p; }
$main
EOT
FORESEE_LLVM=$1 foresee-cc -g -O1 -I. -I"$here" quiet.c order.o -o prog -L. -llib -Wl,-rpath,"$PWD" -lpthread
foresee record -q -o prog.foresee ./prog
foresee print prog.foresee >printed
hasnt printed ' (give|take) ' "libc brings none"
foresee check -q prog.foresee >log
is "$?" 1 "so its users' race is predicted"

# Memory that the kernel changes behind the recorder: what a read saw there is not known, so nothing
# that needs the read is called predicted.
cat >behind.c <<EOT
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
int data, fd;
volatile char *flag;
static void *writer(void *p) { data = 1; syscall(SYS_pwrite64, fd, "x", 1, 0l); return p; }
int main(void)
{
	pthread_t t;

	fd = memfd_create("x", 0);
	if (ftruncate(fd, 4096) != 0)
		return 2;
	flag = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (*flag) /* what was there before is known */
		return 3;
	pthread_create(&t, 0, writer, 0);
	while (!*flag)
		;
	data++;
	pthread_join(t, 0);
	return 0;
}
EOT
FORESEE_LLVM=$1 foresee-cc -g -O1 behind.c -o prog -lpthread
foresee record -q --full -o prog.foresee ./prog
foresee check -q prog.foresee >log
hasnt log 'predicted, certified' "behind the recorder: nothing is predicted"
has log 'saw what code that was not recorded had written' "and it says why"
done_testing
