/*
 * Plug-ins for the tests, good ones and bad ones: -DKIND says which.
 *
 *	cc -shared -fPIC -DSUM -o sum.so plugin.c
 */
#include <foresee_monitor.h>
#include <string.h>

struct state {
	int64_t first, steps, verdict;
	char tail[5]; /* an odd size: the guard begins right behind it */
} __attribute__((packed));

static int64_t sum(const struct foresee_input *in)
{
	return in->values[0].integer + in->values[1].integer;
}

static void initial(const struct foresee_input *in, void *state)
{
	struct state *s = state;

	if (s->steps != 0 || in->thread != 0)
		s->verdict = 77; /* not as the header says */
	s->first = sum(in);
#ifdef EARLY
	((char *)state)[sizeof(*s)] = 1;
#endif
}

static void step(const struct foresee_input *in, void *state)
{
	struct state *s = state;

	s->steps++;
	/* The first of our events: the sum is what it was at first. */
	if ((in->events & 1) && sum(in) != s->first)
		s->verdict = FORESEE_BAD;
	if (in->events & 2)
		s->verdict = in->thread; /* 2: ERROR, 3: UNKNOWN, more: nonsense */
#ifdef BEHIND
	if (s->steps == 2)
		memset(state, 1, sizeof(*s) + 1);
#endif
#ifdef BEFORE
	if (s->steps == 2)
		((char *)state)[-1] = 0;
#endif
#ifdef TAKES
	if (!in->values[0].known && in->values[0].integer == 0)
		s->verdict = FORESEE_BAD;
#endif
#ifdef REALS
	if (in->values[0].real != (double)in->values[0].integer)
		s->verdict = FORESEE_BAD;
#endif
}

static int is_bad(const void *state)
{
	const struct state *s = state;

	return (int)s->verdict;
}

#ifdef STRANGE
static const char *const variables[] = { "x0", "nobody", NULL };
#else
static const char *const variables[] = { "x1", "x0", NULL };
#endif
#ifdef STRANGE_EVENT
static const char *const events[] = { "e1", "never", NULL };
#else
static const char *const events[] = { "e1", "e0", NULL };
#endif

#ifdef LARGE
#define SIZE 4097
#else
#define SIZE sizeof(struct state)
#endif
#ifdef TAKES
#define FLAGS FORESEE_TAKES_UNKNOWN
#else
#define FLAGS 0
#endif
#ifdef HOLLOW
#define STEP NULL
#else
#define STEP step
#endif

static const struct foresee_monitor monitors[] = {
	{ "sum", SIZE, FLAGS, variables, events, initial, STEP, is_bad },
#ifdef TWICE
	{ "sum", SIZE, FLAGS, variables, events, initial, STEP, is_bad },
#endif
};

#define DECLARATIONS                              \
	"shared int x0 = 1; shared int x1 = 2;\n" \
	"event e0 = call(f); event e1 = call(g);\n"

#if defined(OTHER_ABI)
const struct foresee_monitor_table foresee_monitors = { 99, sizeof(struct foresee_monitor), 1,
							monitors, DECLARATIONS };
#elif defined(FUNCTION)
void foresee_monitors_function(void) __asm__("foresee_monitors");
void foresee_monitors_function(void)
{
	(void)monitors;
}
#elif defined(NONE)
const void *const something_else = monitors;
#elif defined(BAD_WORDS)
FORESEE_MONITORS(monitors, "shared int x0 1;");
#else
FORESEE_MONITORS(monitors, DECLARATIONS);
#endif
