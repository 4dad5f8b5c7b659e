/* Random toys: all kinds of operations, locks and conditions used as they should be. */
#include "unit/explore_toy.h"

struct maker {
	struct toy_program *p;
	uint64_t *random;
	uint32_t thread, left; /* steps */
	char text[400];
	bool in_routine;
};

static uint32_t below(struct maker *m, uint32_t n)
{
	uint64_t z = *m->random += HASH_GOLDEN;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (uint32_t)((z >> 33) % n);
}

__attribute__((format(printf, 2, 3))) static void say(struct maker *m, const char *format, ...)
{
	size_t n = strlen(m->text);
	va_list ap;

	va_start(ap, format);
	vsnprintf(m->text + n, sizeof(m->text) - n, format, ap);
	va_end(ap);
}

static bool spend(struct maker *m, uint32_t steps)
{
	if (m->left < steps)
		return false;
	m->left -= steps;
	return true;
}

/* One step. */
static void say_access(struct maker *m)
{
	char x = (char)('x' + below(m, 2));

	if (!spend(m, 1))
		return;
	switch (below(m, 20)) {
	case 9:
		say(m, "clear ");
		break;
	case 0:
	case 1:
		say(m, "read:%c ", x);
		break;
	case 2:
		say(m, "write:%c=%u ", x, 1 + below(m, 2));
		break;
	case 3:
		say(m, "write:%c=r ", x);
		break;
	case 4:
		say(m, "add:%c=1 ", x);
		break;
	case 5:
		say(m, "readlow:%c ", x);
		break;
	case 6:
		say(m, "writelow:%c=1 ", x);
		break;
	case 7:
		say(m, "writehigh:%c=1 ", x);
		break;
	case 8:
		say(m, "readhigh:%c ", x);
		break;
	default:
		if (below(m, 2))
			say(m, "read:%c ", x);
		else
			say(m, "write:%c=1 ", x);
		break;
	}
}

static void say_some(struct maker *m, uint32_t most)
{
	for (uint32_t n = below(m, most + 1); n > 0; n--)
		say_access(m);
}

static void say_lock(struct maker *m)
{
	char l = (char)('m' + below(m, 2));

	if (m->left < 2)
		return;
	m->left -= 2;
	switch (below(m, 5)) {
	case 0:
		say(m, "rdlock:%c ", l);
		say_some(m, 1);
		say(m, "rdunlock:%c ", l);
		break;
	case 1:
		say(m, "try:%c if=1:1 unlock:%c ", l, l);
		break;
	case 2:
		say(m, "tryrdlock:%c if=1:1 rdunlock:%c ", l, l);
		break;
	case 3:
		say(m, "lock:%c ", l);
		if (spend(m, 2))
			say(m, "lock:%c unlock:%c ", below(m, 3) ? 'm' + 'n' - l : l,
			    below(m, 3) ? l : l);
		say_some(m, 1);
		break;
	default:
		say(m, "lock:%c ", l);
		say_some(m, 2);
		say(m, "unlock:%c ", l);
		break;
	}
}

static void say_condition(struct maker *m)
{
	if (below(m, 2) == 0) {
		if (spend(m, 1))
			say(m, "%s:c ", below(m, 2) ? "signal" : "broadcast");
	} else if (spend(m, 4)) {
		say(m, "lock:m %s:c:m unlock:m ", below(m, 2) ? "wait" : "timedwait");
	}
}

static void say_semaphore(struct maker *m)
{
	static const char *const verbs[] = { "down", "up", "up", "trydown" };

	if (spend(m, 1))
		say(m, "%s:s ", verbs[below(m, 4)]);
}

static void say_once(struct maker *m)
{
	if (!spend(m, 1))
		return;
	if (below(m, 2) && spend(m, 1))
		say(m, "once:o:1 add:x=1 ");
	else
		say(m, "once:o ");
}

static void say_something(struct maker *m)
{
	switch (below(m, 16)) {
	case 0:
	case 1:
	case 2:
		say_lock(m);
		break;
	case 3:
	case 4:
		say_condition(m);
		break;
	case 5:
	case 6:
		say_semaphore(m);
		break;
	case 7:
		say_once(m);
		break;
	case 8:
		if (spend(m, 1))
			say(m, "choose:2 ");
		break;
	case 9:
		if (spend(m, 1))
			say(m, "yield ");
		break;
	case 10:
		if (m->left > 0)
			say(m, "if=%u:1 ", below(m, 2));
		say_access(m);
		break;
	case 11:
		if (spend(m, 1))
			say(m, "init:m ");
		break;
	case 12:
	case 13:
		if (!m->p->goes_on && below(m, 2) && spend(m, 1))
			say(m, "exit ");
		else
			say(m, "fail=%u ", 1 + below(m, 3));
		break;
	default:
		say_access(m);
		break;
	}
}

void toy_random(struct toy_program *p, uint64_t *random, uint32_t nthreads, uint32_t steps)
{
	struct maker m = { .p = p, .random = random };
	bool has_barrier = below(&m, 6) == 0, has_join = below(&m, 4) == 0,
	     has_make = below(&m, 5) == 0;

	*p = (struct toy_program){ .goes_on = p->goes_on };
	p->semaphores['s' - 'a'] = (int8_t)below(&m, 2);
	for (uint32_t t = 0; t < nthreads; t++) {
		uint32_t rest = nthreads - t, share = steps / rest;

		m.thread = t;
		m.left = rest == 1 ? steps : share + below(&m, 2);
		if (m.left > steps)
			m.left = steps;
		steps -= m.left;
		m.text[0] = '\0';
		if (has_make && t == 0) {
			say_some(&m, 1);
			say(&m, "make:%u ", nthreads - 1);
		}
		if (has_barrier && t < 2 && m.left >= 4) {
			m.left -= 2;
			say_something(&m);
			say(&m, "meet:b:2 ");
		}
		if (has_join && t == 0 && m.left > 1) {
			m.left--;
			say_something(&m);
			say(&m, "join:%u ", nthreads - 1);
		}
		while (m.left > 0)
			say_something(&m);
		toy_add(p, m.text);
	}
}
