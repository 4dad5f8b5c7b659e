/* The second thread takes only what the first has left: before that its check comes out otherwise. */
#include "two.h"

MUTEX(m);
static int balance = 100;

static void one(void)
{
	int enough;

	BEGIN("withdraw");
	LOCK(m);
	enough = balance >= 30;
	UNLOCK(m);
	if (enough) {
		LOCK(m);
		balance -= 30;
		UNLOCK(m);
	}
	END();
}

static void two(void)
{
	int little;

	BEGIN("empty");
	LOCK(m);
	little = balance <= 80;
	UNLOCK(m);
	if (little) {
		LOCK(m);
		balance -= 30;
		UNLOCK(m);
	}
	END();
}
