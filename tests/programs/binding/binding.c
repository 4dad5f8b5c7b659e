/* Variables and events of every kind that a spec can name, in one run whose order is fixed. */
#include <foresee.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "binding.h"

struct account {
	long id;
	struct {
		int balance, limit;
	} money;
	unsigned flag : 3;
};
enum color { RED, GREEN = 7 };
typedef uint32_t word_t;

int plain = 5, zero;
volatile static int count = 9; /* binding_two.c has one too */
volatile static short alone = 3;
short table[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
struct account one = { 1, { 100, 200 }, 1 }, many[3];
bool yes = true;
enum color paint = GREEN;
float ratio = 1.5f;
double far = -2;
int *where = &plain;
unsigned char bytes[4] = "wxy";
word_t word = 0xfffffffe;
volatile signed char small = -3;
const int constant = 4;
__thread int mine;

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t gate = PTHREAD_RWLOCK_INITIALIZER;

int open_file(const char *name, int mode)
{
	return name != NULL && mode != 0;
}

static int quiet(long x)
{
	return (int)x + 1;
}

int never_called(int x)
{
	return x;
}

static void *worker(void *arg)
{
	static volatile int calls = 1;

	calls++;
	count++;
	alone = 4;
	table[1][2] = 77;
	one.money.balance -= 5;
	many[1].money.limit = 3;
	yes = false;
	paint = RED;
	ratio = 2.5f;
	far = 4;
	pthread_mutex_lock(&lock);
	plain = 6;
	pthread_mutex_unlock(&lock);
	pthread_rwlock_rdlock(&gate);
	zero = quiet(plain);
	pthread_rwlock_unlock(&gate);
	((char *)&word)[1] = 0;
	memcpy(bytes, "abcd", 4);
	memset(&many[2], 1, sizeof(many[2]));
	mine = 1;
	where = NULL;
	small++;
	return arg;
}

int main(int argc, char **argv)
{
	long *heap = malloc(sizeof(*heap));
	pthread_t t;

	FORESEE_VARIABLE(heap, sizeof(*heap), "heap.value");
	*heap = argc;
	FORESEE_INTERNAL("phase", 3);
	FORESEE_ATOMIC_BEGIN("block");
	FORESEE_EVENT2("hello", 1, -2);
	FORESEE_ATOMIC_END();
	pthread_create(&t, NULL, worker, NULL);
	pthread_join(t, NULL);
	open_file(argv[0], 200);
	__atomic_fetch_add(&plain, 1, __ATOMIC_SEQ_CST);
	binding_two();
	library_value = 12;
	free(heap);
	return 0;
}
