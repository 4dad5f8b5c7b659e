/*
 * Programs whose orders are known by number: counts NAME.  t9101-explore-counts.sh has the table.
 * Everything shared is volatile, so that what is written here is what is done, and atomic, so that
 * nothing is a race.  A line is a thread.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>

static volatile atomic_long x, y, a[8], flag;
static atomic_long counter;
static pthread_mutex_t m[4] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
				PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t control = PTHREAD_ONCE_INIT;
static pthread_barrier_t barrier;
static pthread_mutex_t nests;
static pthread_spinlock_t spin;
static sem_t sem, none;

#define LOCK(i) pthread_mutex_lock(&m[i])
#define UNLOCK(i) pthread_mutex_unlock(&m[i])

/* clang-format off */

/* ---- accesses ---- */
static void wx(void) { x = 1; }
static void wy(void) { y = 1; }
static void rx(void) { (void)x; }
static void wx_ry(void) { x = 1; (void)y; }
static void wy_rx(void) { y = 1; (void)x; }
static void wx_wy(void) { x = 1; y = 1; }
static void wy_wx(void) { y = 1; x = 1; }
static void rx_ry(void) { (void)x; (void)y; }
static void ry_rx(void) { (void)y; (void)x; }
static void rx_wy(void) { (void)x; y = 1; }
static void ry_wx(void) { (void)y; x = 1; }
static void rx_rx(void) { (void)x; (void)x; }
static void rx_wx(void) { x = x + 1; }
static void wx_wx(void) { x = 1; x = 2; }
static void wy_wy(void) { y = 1; y = 2; }
static void add(void) { atomic_fetch_add(&counter, 1); }
static void swap(void)
{
	long zero = 0;
	atomic_compare_exchange_strong(&counter, &zero, 1);
}

/* lastzero(n): a reader looks for the last zero, writer j sets a[j] = a[j - 1] + 1. */
static void last(int n)
{
	while (a[n] != 0)
		n--;
}
static void last2(void) { last(2); }
static void last3(void) { last(3); }
static void last4(void) { last(4); }
static void last5(void) { last(5); }
static void set1(void) { a[1] = a[0] + 1; }
static void set2(void) { a[2] = a[1] + 1; }
static void set3(void) { a[3] = a[2] + 1; }
static void set4(void) { a[4] = a[3] + 1; }
static void set5(void) { a[5] = a[4] + 1; }

/* ---- locks ---- */
static void two(int first, int second)
{
	LOCK(first);
	LOCK(second);
	UNLOCK(second);
	UNLOCK(first);
}
static void locked(void) { LOCK(0); x = x + 1; UNLOCK(0); }
static void ab(void) { two(0, 1); }
static void ba(void) { two(1, 0); }
static void bc(void) { two(1, 2); }
static void ca(void) { two(2, 0); }
static void gate_ab(void) { LOCK(3); two(0, 1); UNLOCK(3); }
static void gate_ba(void) { LOCK(3); two(1, 0); UNLOCK(3); }
static void lock0(void) { LOCK(0); UNLOCK(0); }
static void try0(void)
{
	if (pthread_mutex_trylock(&m[0]) == 0)
		UNLOCK(0);
}
static void nest(void)
{
	pthread_mutex_lock(&nests);
	pthread_mutex_lock(&nests);
	pthread_mutex_unlock(&nests);
	pthread_mutex_unlock(&nests);
}
static void spins(void) { pthread_spin_lock(&spin); pthread_spin_unlock(&spin); }
static void reader(void) { pthread_rwlock_rdlock(&rw); pthread_rwlock_unlock(&rw); }
static void writer(void) { pthread_rwlock_wrlock(&rw); pthread_rwlock_unlock(&rw); }

/* ---- what waits ---- */
static void wait_careless(void)
{
	if (flag)
		return;
	LOCK(0);
	pthread_cond_wait(&c, &m[0]);
	UNLOCK(0);
}
static void signal_careless(void) { flag = 1; pthread_cond_signal(&c); }
static void wait_flag(void)
{
	LOCK(0);
	while (!flag)
		pthread_cond_wait(&c, &m[0]);
	UNLOCK(0);
}
static void signal_flag(void) { LOCK(0); flag = 1; pthread_cond_signal(&c); UNLOCK(0); }
static void wait_only(void) { LOCK(0); pthread_cond_wait(&c, &m[0]); UNLOCK(0); }
static void signal_only(void) { pthread_cond_signal(&c); }
static void sem_as_lock(void) { sem_wait(&sem); sem_post(&sem); }
static void post(void) { sem_post(&none); }
static void take(void) { sem_wait(&none); }
static void meet(void) { pthread_barrier_wait(&barrier); }
static void nothing(void) {}
static void once(void) { pthread_once(&control, nothing); }

/* clang-format on */

static void *body(void *f)
{
	((void (*)(void))f)();
	return NULL;
}
static void makes(void)
{
	pthread_t t;

	x = 1;
	pthread_create(&t, NULL, body, (void *)wx);
	x = 3;
	pthread_join(t, NULL);
}

static const struct {
	const char *name;
	void (*threads[6])(void);
} programs[] = {
	{ "SB", { wx_ry, wy_rx } },
	{ "MP", { wx_wy, ry_rx } },
	{ "LB", { rx_wy, ry_wx } },
	{ "2+2W", { wx_wy, wy_wx } },
	{ "CoRR", { wx, rx_rx } },
	{ "WRC", { wx, rx_wy, ry_rx } },
	{ "IRIW", { wx, wy, rx_ry, ry_rx } },
	{ "writers3", { wx, wx, wx } },
	{ "writers4", { wx, wx, wx, wx } },
	{ "rw2", { rx_wx, rx_wx } },
	{ "rw3", { rx_wx, rx_wx, rx_wx } },
	{ "add2", { add, add } },
	{ "add3", { add, add, add } },
	{ "add4", { add, add, add, add } },
	{ "swap3", { swap, swap, swap } },
	{ "independent", { wx_wx, wy_wy } },
	{ "readers2", { wx, rx, rx } },
	{ "readers3", { wx, rx, rx, rx } },
	{ "readers4", { wx, rx, rx, rx, rx } },
	{ "lastzero2", { last2, set1, set2 } },
	{ "lastzero3", { last3, set1, set2, set3 } },
	{ "lastzero4", { last4, set1, set2, set3, set4 } },
	{ "lastzero5", { last5, set1, set2, set3, set4, set5 } },
	{ "locked2", { locked, locked } },
	{ "locked3", { locked, locked, locked } },
	{ "ABBA", { ab, ba } },
	{ "gate", { gate_ab, gate_ba } },
	{ "philosophers3", { ab, bc, ca } },
	{ "trylock", { lock0, try0 } },
	{ "recursive", { nest, nest } },
	{ "spin", { spins, spins, spins } },
	{ "rwlock", { reader, reader, writer } },
	{ "lost", { wait_careless, signal_careless } },
	{ "condition", { wait_flag, signal_flag } },
	{ "waiters", { wait_only, wait_only, signal_only } },
	{ "semaphore", { sem_as_lock, sem_as_lock } },
	{ "posts", { take, take, post, post } },
	{ "barrier", { meet, meet, meet } },
	{ "once", { once, once } },
	{ "made", { makes } },
};

int main(int argc, char **argv)
{
	pthread_mutexattr_t attr;
	pthread_t t[6];
	int n = 0;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&nests, &attr);
	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	pthread_barrier_init(&barrier, NULL, 3);
	sem_init(&sem, 0, 1);
	sem_init(&none, 0, 0);
	for (unsigned i = 0; argc > 1 && i < sizeof(programs) / sizeof(programs[0]); i++)
		if (strcmp(programs[i].name, argv[1]) == 0)
			for (; n < 6 && programs[i].threads[n]; n++)
				pthread_create(&t[n], NULL, body, (void *)programs[i].threads[n]);
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	return n == 0;
}
