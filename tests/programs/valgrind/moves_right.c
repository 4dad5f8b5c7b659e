/*
 * Nothing races: what two threads use at once are atomics, of all sizes, with orders that are plain moves.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#define RELAXED memory_order_relaxed
#define LOAD(x) atomic_load_explicit(&(x), RELAXED)
#define STORE(x, v) atomic_store_explicit(&(x), v, RELAXED)

/* What the one thread does that writes, and what the other does. */
#define EACH(X)         \
	X(int8_t, a1)   \
	X(uint16_t, a2) \
	X(int32_t, a4)  \
	X(uint64_t, a8) \
	X(float, f4)    \
	X(double, f8)
#define ATOMIC(type, x)                                             \
	static _Atomic type x;                                      \
	static void x##_write(void)                                 \
	{                                                           \
		STORE(x, 1);                                        \
		STORE(x, (type)(LOAD(x) + 1));                      \
		STORE(x, (type)((int)LOAD(x) & 5));                 \
		STORE(x, (type)((int)LOAD(x) << 1));                \
		STORE(x, (type)-LOAD(x));                           \
		STORE(x, (type)-1);                                 \
		STORE(x, 0);                                        \
		atomic_store_explicit(&x, 3, memory_order_release); \
	}                                                           \
	static int x##_read(type v)                                 \
	{                                                           \
		int sum = LOAD(x) == 3;                             \
                                                                    \
		sum += LOAD(x) == 0;                                \
		sum += (int)LOAD(x) & 4 ? 1 : 2;                    \
		sum += (int)(v + LOAD(x)) + (int)(v * LOAD(x));     \
		sum += (int)(v > 3 ? LOAD(x) : v);                  \
		sum += (int)atomic_load(&x);                        \
		return sum + (int)(double)LOAD(x);                  \
	}
EACH(ATOMIC)

static int plain; /* by its type; all that use it use builtins */
static int data;
static _Atomic(int *) published;
static int nothing(void)
{
	return 0;
}
static int one(void)
{
	return 1;
}
static _Atomic(int (*)(void)) function = nothing;
static struct packed {
	char c;
	_Atomic int inside;
} array[4];
volatile int sink;

static void *writer(void *arg)
{
#define WRITE(type, x) x##_write();
	EACH(WRITE)
	__atomic_store_n(&plain, __atomic_load_n(&plain, __ATOMIC_RELAXED) + 1, __ATOMIC_RELEASE);
	data = 7;
	atomic_store_explicit(&published, &data, memory_order_release);
	STORE(function, one);
	for (int i = 0; i < 4; i++)
		STORE(array[i].inside, LOAD(array[i].inside) + i);
	return arg;
}

static void *reader(void *arg)
{
	int sum = 0, *p;

#define READ(type, x) sum += x##_read((type)4);
	EACH(READ)
	if (__atomic_load_n(&plain, __ATOMIC_ACQUIRE) > 3)
		sum++;
	p = atomic_load_explicit(&published, memory_order_acquire);
	if (p)
		sum += *p;
	sum += LOAD(function)();
	for (int i = 0; i < 4; i++)
		sum += LOAD(array[i].inside) > i;
	sink = sum;
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, writer, NULL);
	pthread_create(&u, NULL, reader, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
