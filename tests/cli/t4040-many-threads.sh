#!/usr/bin/env bash
# Threads that nobody joins: the cost follows events and threads, not their product.  What is held
# to a limit is memory, which does not depend on the machine.
. "$(dirname "$0")/../lib.sh"

# crowd N: main forks N threads, one after the other; each adds to a counter under a lock, reads what
# main has set, and writes a cell of its own; one of them also writes without the lock.
crowd() {
	awk -v n="$1" 'BEGIN {
		print "T0|w(set)|m.c:1"
		for (t = 1; t <= n; t++) {
			printf "T0|fork(T%d)|m.c:2\n", t
			printf "T%d|acq(m)|t.c:1\nT%d|r(sum)|t.c:2\nT%d|w(sum)|t.c:2\nT%d|rel(m)|t.c:3\n", t, t, t, t
			printf "T%d|r(set)|t.c:4\nT%d|w(own%d)|t.c:5\n", t, t, t
			if (t % 1000 == 0)
				printf "T%d|acq(a)|t.c:6\nT%d|acq(b)|t.c:7\nT%d|rel(b)|t.c:8\nT%d|rel(a)|t.c:9\n", t, t, t, t
			if (t == n / 2)
				printf "T%d|w(sum)|t.c:20\n", t
		}
	}'
}

crowd 20000 >crowd.std
limit=600000
# A build with sanitizers maps more than that to begin with.
(ulimit -v $limit && foresee --version >version) || limit=unlimited
run sh -c "ulimit -v $limit && exec foresee check --jobs 1 -f json crowd.std"
is $status 1 "20 000 threads: judged within 600 MB"
has out '"certified": true' "and the one that forgot the lock is found"
hasnt out '"truncated": \[ *"' "nothing was left out"

run sh -c "ulimit -v $limit && exec foresee check --jobs 1 -a syncp -f json crowd.std"
is $status 1 "the same by syncp"

# A recording of them: a reader has room for those that are being read, not for all.
cat >crowd.c <<'EOT'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static long sum, bare;
static void *work(void *arg)
{
	pthread_mutex_lock(&m);
	sum++;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	if ((long)arg % 1500 == 1499)
		bare++;
	return arg;
}
int main(void)
{
	for (long i = 0; i < 3000; i++) {
		pthread_t t;
		if (pthread_create(&t, NULL, work, (void *)i) != 0)
			return 1;
		pthread_detach(t);
		pthread_mutex_lock(&m);
		while (sum <= i)
			pthread_cond_wait(&c, &m);
		pthread_mutex_unlock(&m);
	}
	return 0;
}
EOT
ok "a program of 3000 detached threads" foresee-cc -g -O1 -o crowd crowd.c
run foresee record -o crowd.foresee ./crowd
is $status 0 "is recorded"
[ $limit = unlimited ] || limit=130000
run sh -c "ulimit -v $limit && exec foresee check --jobs 1 -a races -f json crowd.foresee"
is $status 1 "and judged within 130 MB"
has out '"bare"' "with its race"
done_testing
