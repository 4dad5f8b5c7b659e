/* Readers share a lock, the writer has it alone. */
#include "two.h"

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int seq, data, got, at;

static void one(void)
{
	BEGIN("read");
	pthread_rwlock_rdlock(&l);
	at = seq;
	got = data;
	pthread_rwlock_unlock(&l);
	END();
}

static void two(void)
{
	BEGIN("write");
	pthread_rwlock_wrlock(&l);
	seq++;
	data = 5;
	seq++;
	pthread_rwlock_unlock(&l);
	END();
}
