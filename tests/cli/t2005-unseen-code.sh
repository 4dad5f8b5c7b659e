#!/usr/bin/env bash
# record: programs that leave the recorder's sight: callbacks of libraries, jumps
# out of signal handlers, cancelled threads.  They run as ever; what is
# missing is said; what is there agrees with itself.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

# record NAME STATUS [OPTION...]: builds NAME.c, records it, verifies the trace.
record() {
	local name=$1 wanted=$2
	shift 2
	ok "$name builds" foresee-cc -g -O1 -pthread "$@" "$name.c" -o "$name"
	"./$name" <"$name.c" >native
	foresee record -q -o "$name.foresee" "./$name" <"$name.c" >recorded
	is "$?" "$wanted" "$name ends as ever"
	same native recorded "$name prints what it always prints"
	run foresee verify "$name.foresee"
	is "$status" 0 "$name is recorded consistently"
	foresee stats "$name.foresee" >stats 2>&1
}

cat >sort.c <<'EOT'
#include <stdio.h>
#include <stdlib.h>
static int a[500];
static int compare(const void *x, const void *y) { return *(const int *)x - *(const int *)y; }
int main(void)
{
	for (int i = 0; i < 500; i++)
		a[i] = i * 7919 % 500;
	qsort(a, 500, sizeof(*a), compare);
	printf("%d %d\n", a[0], a[499]);
	return 3;
}
EOT
record sort 3
has stats '^  complete yes' "and completely"

cat >lines.c <<'EOT'
#include <stdio.h>
#include <string.h>
int main(void)
{
	char *line = NULL;
	size_t room = 0;
	long words = 0;
	while (getline(&line, &room, stdin) > 0)
		for (char *w = strtok(line, " \n"); w; w = strtok(NULL, " \n"))
			words++;
	printf("%ld %s\n", words, line);
	return 0;
}
EOT
printf '/* %0300d */\n// the line buffer has moved\n' 1 >>lines.c
record lines 0
has stats '^  complete yes' "and completely"

# A large local over a great many old ones: all their versions are replaced.
cat >frames.c <<'EOT'
#include <stdio.h>
#include <string.h>
int *leak;
static __attribute__((noinline)) int deep(int n)
{
	int a[3];
	leak = a;
	leak[0] = n;
	return n == 0 ? 0 : deep(n - 1) + leak[0] - leak[0];
}
static __attribute__((noinline)) int large(void)
{
	char a[200000];
	leak = (int *)a;
	memset(a, 1, sizeof(a));
	return a[7];
}
int main(void)
{
	int r = deep(1000);
	r += large();
	printf("%d\n", r + deep(1000) + large());
	return 0;
}
EOT
record frames 0
has stats '^  complete yes' "and completely"

cat >fault.c <<'EOT'
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
static sigjmp_buf back;
static int caught;
static int *volatile bad = (int *)16;
static void stop(int s) { (void)s; caught++; siglongjmp(back, 1); }
int main(void)
{
	signal(SIGSEGV, stop);
	for (volatile int i = 0; i < 20; i++)
		if (sigsetjmp(back, 1) == 0)
			*bad = i;
	printf("%d\n", caught);
	return 4;
}
EOT
record fault 4
has stats '^  complete no' "the rest is missing, and the trace says so"
has err 'a signal handler jumped out' "and why"

cat >cancel.c <<'EOT'
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
static sem_t ready;
static long n[64];
static void *run(void *p)
{
	int old;
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
	sem_post(&ready);
	for (;;)
		for (int i = 0; i < 64; i++)
			n[i]++;
	return p;
}
int main(void)
{
	sem_init(&ready, 0, 0);
	for (int i = 0; i < 100; i++) {
		pthread_t t;
		pthread_create(&t, NULL, run, NULL);
		sem_wait(&ready);
		pthread_cancel(t);
		pthread_join(t, NULL);
		for (int k = 0; k < 64; k++)
			n[k] = 0;
	}
	puts("done");
	return 0;
}
EOT
record cancel 0

# The child of a vfork ends in its parent's memory, not its parent.
cat >vfork.c <<'EOT'
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int after;
int main(void)
{
	int status;
	pid_t p = vfork();
	if (p == 0) {
		execl("/nonexistent", "x", (char *)NULL);
		_exit(127);
	}
	waitpid(p, &status, 0);
	after = WEXITSTATUS(status);
	printf("%d\n", after);
	return 300;
}
EOT
record vfork 44
run foresee print vfork.foresee
has out 'write +vfork\.c:after += 127 ' "what comes after the child is recorded"
run foresee stats -f json vfork.foresee
has out '"exit_status": 44,' "with the status of the parent"

# Its runtime looks symbols up, and frees, before ours has begun.
echo 'int main(void) { return 6; }' >ub.c
record ub 6 -fsanitize=undefined
done_testing
