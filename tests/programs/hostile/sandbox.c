/* A filter of system calls that lets the program do what it needs, and kills it for anything else. */
// open
// note: the program limits its system calls
#define _GNU_SOURCE
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;
static volatile int data[1000];
static pthread_barrier_t barrier; /* no local one: main does not wait until all have left it */

#define ALLOW(n) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, n, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static void *worker(void *arg)
{
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 20000; i++) {
		pthread_mutex_lock(&lock);
		total++;
		data[i % 1000] = total;
		pthread_mutex_unlock(&lock);
	}
	pthread_barrier_wait(&barrier);
	return arg;
}

int main(int argc, char **argv)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ALLOW(SYS_futex),
		ALLOW(SYS_write),
		ALLOW(SYS_exit_group),
		ALLOW(SYS_exit),
		ALLOW(SYS_rt_sigprocmask),
		ALLOW(SYS_sched_yield),
		ALLOW(SYS_madvise),
		ALLOW(SYS_munmap),
		ALLOW(SYS_getpid),
		ALLOW(SYS_rt_sigreturn),
		ALLOW(SYS_set_robust_list),
		ALLOW(SYS_rseq),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = { sizeof(rules) / sizeof(rules[0]), rules };
	pthread_t t[2];

	(void)argc, (void)argv;
	pthread_barrier_init(&barrier, NULL, 3);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0)
		return 77;
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return total != 40000;
}
