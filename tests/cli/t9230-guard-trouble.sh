#!/usr/bin/env bash
# Guarded programs in trouble: handlers that crash, exit, jump or lock; exec, libraries, many threads at once.
. "$(dirname "$0")/../lib.sh"

cat >t.c <<'C'
#include <dlfcn.h>
#include <fcntl.h>
#include <foresee.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MANY 1000

static volatile int x;
static int calls;
static const char *what = "";
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t all_here;
static __thread jmp_buf back;

static void violate(void)
{
	x = 0;
	x = -1;
}

void handle(const struct foresee_violation *v);
void handle(const struct foresee_violation *v)
{
	if (v->number == 1 && strcmp(what, "signal"))
		return; /* main, which hears of it from those that it joins */
	calls++;
	if (!strcmp(what, "crash"))
		*(volatile int *)0 = 1;
	else if (!strcmp(what, "exit"))
		exit(9);
	else if (!strcmp(what, "_exit"))
		_exit(10);
	else if (!strcmp(what, "end"))
		pthread_exit(NULL);
	else if (!strcmp(what, "jump"))
		longjmp(back, 1);
	else if (!strcmp(what, "again"))
		violate(); /* told, and not handled */
	else if (!strcmp(what, "lock")) {
		pthread_mutex_lock(&lock);
		printf("%s in T%lu at %lu\n", v->property, (unsigned long)v->number, (unsigned long)v->line);
		pthread_mutex_unlock(&lock);
	}
}

static void on_signal(int n)
{
	(void)n;
	violate();
}

static void *one(void *arg)
{
	for (int i = 0; i < 3; i++)
		if (setjmp(back) == 0)
			violate();
	return arg;
}

static void *many(void *arg)
{
	pthread_barrier_wait(&all_here);
	pthread_mutex_lock(&lock);
	x = x + 1;
	pthread_mutex_unlock(&lock);
	return arg;
}

static int crowd(void)
{
	static pthread_t t[MANY];
	pthread_attr_t small;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	pthread_barrier_init(&all_here, NULL, MANY);
	for (int i = 0; i < MANY; i++)
		if (pthread_create(&t[i], &small, many, NULL))
			return 2;
	for (int i = 0; i < MANY; i++)
		pthread_join(t[i], NULL);
	printf("%d\n", x);
	return 0;
}

static int library(void)
{
	void *lib = dlopen("./lib.so", RTLD_NOW);

	if (!lib)
		return 2;
	((void (*)(volatile int *))dlsym(lib, "reach"))(&x);
	dlclose(lib);
	violate();
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t t;

	if (argc > 1)
		what = argv[1];
	if (!strcmp(what, "exec") && argc == 2)
		return execl(argv[0], argv[0], "exec", "again", NULL);
	if (!strcmp(what, "file")) /* it has number 3, which was the guard's until main */
		return argc > 2 ? printf("%s\n", fcntl(3, F_GETFD) < 0 ? "gone" : "there"), 0
				: dup2(0, 3) != 3 || execl(argv[0], argv[0], "file", "again", NULL);
	if (!strcmp(what, "called")) {
		printf("%s %d %s\n", argv[0], argc, argv[argc - 1]);
		for (char **e = __environ; *e; e++)
			if (strstr(*e, "FORESEE"))
				puts(*e);
		return 0;
	}
	if (!strcmp(what, "many"))
		return crowd();
	if (!strcmp(what, "library"))
		return library();
	if (!strcmp(what, "signal")) {
		signal(SIGUSR1, on_signal);
		raise(SIGUSR1);
	} else {
		pthread_create(&t, NULL, one, NULL);
		pthread_join(t, NULL);
	}
	printf("calls %d\n", calls);
	return 3;
}
C
printf 'void reach(volatile int *p);\nvoid reach(volatile int *p) { *p = -5; }\n' >lib.c
foresee-cc -g -O1 -pthread t.c -o t -ldl || exit 2
foresee-cc -g -O1 -shared -fPIC lib.c -o lib.so || exit 2
echo 'shared int x; property p: mttl @any(x >= 0) handler handle;' >t.spec
told='^foresee: guard: property .p. was violated'

# guarded WHAT STATUS DESCRIPTION
guarded() {
	run timeout 100 foresee guard -s t.spec ./t "$1"
	is "$status" "$2" "$3"
}
if (ulimit -v 3000000) 2>/dev/null; then
	(ulimit -v 3000000 && foresee guard -s t.spec ./t plain >out 2>err)
	is "$?" 125 "where there is no memory to look at the program"
	has err "^foresee: cannot look at '\./t': .*: Cannot allocate memory" "that is said"
fi
guarded plain 3 "a handler that does nothing"
has out '^calls 3$' "is called each time"
guarded crash 139 "one that crashes: the program's own crash"
guarded exit 9 "one that exits: with that status"
has err "$told 1 time" "and what was violated is told"
guarded _exit 10 "one that leaves at once"
guarded end 3 "one that ends its thread: the others go on"
has out '^calls 1$' "and it is called no more"
guarded jump 3 "one that jumps out"
has out '^calls 3$' "is called again where its thread comes by once more"
guarded again 3 "what is violated within it"
has err "while another handler runs" "is told"
has out '^calls 3$' "and not handled"
guarded lock 3 "one that locks and prints"
has out '^p in T2 at [0-9]+$' "knows the thread and the place"
guarded signal 3 "in a signal handler of the program"
has out '^calls 1$' "the property is handled, too"
guarded exec 3 "exec: the new program is not guarded"
has out '^calls 0$' "and calls no handler"
hasnt err "$told" "and nothing is told of it"
guarded file 0 "exec of a program that has a file"
is "$(cat out) $(cat err)" "there " "leaves it open, and says nothing"
ln -s t alias
words=$(seq -s ' ' 20000)
run env -u FORESEE_ROOT -u FORESEE_PROJECT -u FORESEE_LLVMS FORESEE_GUARD=t.spec timeout 100 ./alias called $words
is "$(cat out)" "./alias 20002 20000" "FORESEE_GUARD: a program is called as it was, and its environment is as it was"
cp t.spec kept.spec
echo 'thread gone = "nobody"; thread far = 9; thread one = "one"; property q: mttl @gone(x == @far.x && x == @one.x);' >>t.spec
guarded plain 3 "names of threads that never come"
is "$(sed -n '/no thread/p' err)" "foresee: guard: no thread was 'nobody': none had that start routine or name; there were 'main', 'one'
foresee: guard: there was no thread 9, which the spec calls 'far'" "are told, and those that came are not"
mv kept.spec t.spec
guarded library 0 "a library that comes and goes"
has err "$told 2 times" "what it writes is seen"
guarded many 0 "1000 threads at one time"
has out '^1000$' "do what they do"
run timeout 100 foresee guard -v -s t.spec ./t many
kib=$(sed -n 's/^foresee: guard: \([0-9]*\) KiB.*/\1/p' err)
ok "and take memory by threads and variables: $kib KiB" test "${kib:-99999}" -lt 40000
done_testing
