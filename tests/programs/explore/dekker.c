/* Two flags: each looks at the other's before it sets its own. */
#include "explore.h"

static atomic_bool flag[2];
static volatile int inside;

static void *visits(void *arg)
{
	int me = NUMBER(arg);
	bool may;

	if (fixed)
		flag[me] = true;
	may = !flag[1 - me];
	flag[me] = true;
	if (may) {
		inside = me + 1;
		assert(inside == me + 1);
	}
	flag[me] = false;
	return arg;
}

int main(void)
{
	RUN(visits, visits);
	return 0;
}
