#!/usr/bin/env bash
# Time in runs that are explored: it goes on by sleeps and by calls that give up, the same in every run.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

cat >deadline.c <<'EOT'
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, held = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;
static sem_t nobody;
static void *sets(void *arg)
{
	pthread_mutex_lock(&m);
	ready = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	return arg;
}
static struct timespec behind(int seconds, clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	t.tv_sec += seconds;
	return t;
}
static int is_before(const struct timespec *at, clockid_t clock)
{
	struct timespec now;
	clock_gettime(clock, &now);
	return now.tv_sec < at->tv_sec || (now.tv_sec == at->tv_sec && now.tv_nsec < at->tv_nsec);
}
/* The limit has passed, and little more. */
static void passed(const struct timespec *at, clockid_t clock)
{
	struct timespec later = *at;
	later.tv_sec += 1;
	assert(!is_before(at, clock) && is_before(&later, clock));
}
/* Until it is so, or time is over. */
static int waits(int seconds)
{
	struct timespec at = behind(seconds, CLOCK_REALTIME);
	int was;
	pthread_mutex_lock(&m);
	while (!ready && is_before(&at, CLOCK_REALTIME))
		pthread_cond_timedwait(&c, &m, &at);
	was = ready;
	pthread_mutex_unlock(&m);
	return was;
}
static void calls(void)
{
	struct timespec at = behind(3, CLOCK_REALTIME), mono = behind(4, CLOCK_MONOTONIC);
	struct timeval begun, now;
	time_t was;
	int ends[2];
	assert(sem_timedwait(&nobody, &at) == -1 && errno == ETIMEDOUT);
	passed(&at, CLOCK_REALTIME);
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &mono, NULL);
	passed(&mono, CLOCK_MONOTONIC);
	at = behind(5, CLOCK_REALTIME);
	assert(pthread_mutex_timedlock(&held, &at) == ETIMEDOUT);
	passed(&at, CLOCK_REALTIME);
	was = time(NULL);
	sleep(7);
	assert(time(NULL) - was >= 7 && time(NULL) - was <= 8);
	gettimeofday(&begun, NULL);
	usleep(300000);
	gettimeofday(&now, NULL);
	assert((now.tv_sec - begun.tv_sec) * 1000000 + now.tv_usec - begun.tv_usec >= 300000);
	at = behind(2, CLOCK_MONOTONIC);
	assert(pipe(ends) == 0 && poll(&(struct pollfd){ .fd = ends[0], .events = POLLIN }, 1, 2000) == 0);
	passed(&at, CLOCK_MONOTONIC);
}
int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "wait";
	pthread_t t;
	sem_init(&nobody, 0, 0);
	pthread_mutex_lock(&held);
	pthread_create(&t, NULL, sets, NULL);
	if (strcmp(what, "wait") == 0)
		assert(waits(2));
	else if (strcmp(what, "either") == 0)
		waits(100);
	else if (strcmp(what, "date") == 0)
		return time(NULL) % 7 != (time_t)1700000000 % 7;
	else
		calls();
	pthread_join(t, NULL);
	return 0;
}
EOT
cat >waits.cpp <<'EOT'
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
static std::mutex m;
static std::condition_variable c;
static bool ready, got;
int main(int argc, char **)
{
	std::thread waits([] {
		std::unique_lock<std::mutex> l(m);
		got = c.wait_for(l, std::chrono::seconds(2), [] { return ready; });
	});
	std::thread sets([] {
		std::unique_lock<std::mutex> l(m);
		ready = true;
		c.notify_one();
	});
	waits.join();
	sets.join();
	assert(got || argc > 1);
	return 0;
}
EOT
foresee-cc -g -O1 -pthread deadline.c -o deadline && foresee-c++ -g -O1 -pthread waits.cpp -o waits || exit 2

# explore ARGS...
explore() {
	run timeout 100 foresee explore -q "$@"
}

for fibers in auto never; do
	explore --fibers $fibers ./deadline wait
	is "$status" 1 "$fibers: a loop with a deadline gives up"
	has out '^1  killed by signal 6 \(Aborted\), in a schedule of [0-9]* steps with 0 preemptions$' "$fibers: before it was woken"
	explore --fibers $fibers --strategy dpor ./deadline either
	is "$status" 0 "$fibers: and need not"
	explore --fibers $fibers --strategy dpor ./deadline calls
	is "$status" 0 "$fibers: every call takes its time"
	explore --fibers $fibers ./deadline date
	is "$status" 0 "$fibers: runs begin at one time"
	explore --fibers $fibers ./waits
	is "$status" 1 "$fibers: wait_for with a predicate gives up"
	explore --fibers $fibers --strategy dpor ./waits either
	is "$status" 0 "$fibers: all of its schedules"
	has out 'no failure; these are all' "$fibers: were run"
done
again=0
for i in 1 2 3 4 5; do
	timeout 60 foresee replay waits.schedule >out 2>&1 && again=$((again + 1))
done
is "$again" 5 "its schedule gives up again"

# Who is not explored has the time of all.
cat >now.c <<'EOT'
#include <stdio.h>
#include <time.h>
int main(void)
{
	printf("%ld\n", (long)time(NULL));
	return 0;
}
EOT
foresee-cc -g -O1 now.c -o now || exit 2
before=$(date +%s) && foresee record -q -o now.foresee ./now >said && after=$(date +%s)
is "$(awk -v b="$before" -v a="$after" "{ print (\$1 >= b && \$1 <= a) }" said)" 1 "a recorded run knows the time"
done_testing
