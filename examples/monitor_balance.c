/*
 * A monitor for accounts.c: when the bank closes there is as much money as in the morning.
 *
 *	cc -shared -fPIC -o balance.so monitor_balance.c
 *	foresee-cc -g -pthread accounts.c -o accounts
 *	foresee run --monitor ./balance.so ./accounts
 *
 * (with -I where foresee_monitor.h is, if that is not where the system has its headers.)
 *
 * The spec language could say `closed() -> savings + current == 100', but not `as in the morning':
 * a monitor can, for it remembers what it likes.
 */
#include <foresee_monitor.h>

struct balance {
	int64_t morning;
	int64_t differs; /* as wide as the other one: no padding */
};

/* In the order in which the functions below get them. */
enum { SAVINGS, CURRENT };
static const char *const variables[] = { "savings", "current", NULL };
enum { CLOSED };
static const char *const events[] = { "closed", NULL };

static int64_t sum(const struct foresee_input *in)
{
	return in->values[SAVINGS].integer + in->values[CURRENT].integer;
}

static void initial(const struct foresee_input *in, void *state)
{
	struct balance *b = state;

	b->morning = sum(in);
}

static void step(const struct foresee_input *in, void *state)
{
	struct balance *b = state;

	if (in->events >> CLOSED & 1)
		b->differs = sum(in) != b->morning;
}

static int is_bad(const void *state)
{
	const struct balance *b = state;

	return b->differs ? FORESEE_BAD : FORESEE_GOOD;
}

static const struct foresee_monitor monitors[] = {
	{ "balance", sizeof(struct balance), 0, variables, events, initial, step, is_bad },
};

FORESEE_MONITORS(monitors, "shared long savings;\n"
			   "shared long current;\n"
			   "event closed = user(closed);\n");
