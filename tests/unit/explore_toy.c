#include "unit/explore_toy.h"

/* ---- text ---- */

static const struct word {
	const char *name;
	uint8_t kind, flags, offset, size;
} words[] = {
	{ "read", BATON_READ, 0, 0, 8 },
	{ "readlow", BATON_READ, 0, 0, 4 },
	{ "readhigh", BATON_READ, 0, 4, 4 },
	{ "write", BATON_WRITE, 0, 0, 8 },
	{ "writelow", BATON_WRITE, 0, 0, 4 },
	{ "writehigh", BATON_WRITE, 0, 4, 4 },
	{ "clear", BATON_WRITE, 0, 0, 0 },
	{ "add", BATON_UPDATE, BATON_ATOMIC, 0, 8 },
	{ "load", BATON_READ, BATON_ATOMIC, 0, 8 },
	{ "store", BATON_WRITE, BATON_ATOMIC, 0, 8 },
	{ "lock", BATON_LOCK, 0, 0, 0 },
	{ "wrlock", BATON_LOCK, 0, 0, 0 },
	{ "try", BATON_TRY_LOCK, 0, 0, 0 },
	{ "unlock", BATON_UNLOCK, 0, 0, 0 },
	{ "rdlock", BATON_READ_LOCK, 0, 0, 0 },
	{ "tryrdlock", BATON_TRY_READ_LOCK, 0, 0, 0 },
	{ "rdunlock", BATON_READ_UNLOCK, 0, 0, 0 },
	{ "wait", BATON_WAIT, 0, 0, 0 },
	{ "timedwait", BATON_WAIT, BATON_TIMED, 0, 0 },
	{ "signal", BATON_SIGNAL, 0, 0, 0 },
	{ "broadcast", BATON_BROADCAST, 0, 0, 0 },
	{ "down", BATON_SEM_WAIT, 0, 0, 0 },
	{ "trydown", BATON_SEM_TRY, 0, 0, 0 },
	{ "up", BATON_SEM_POST, 0, 0, 0 },
	{ "meet", BATON_BARRIER_IN, 0, 0, 0 },
	{ "once", BATON_ONCE, 0, 0, 0 },
	{ "join", BATON_JOIN, 0, 0, 0 },
	{ "choose", BATON_CHOOSE, 0, 0, 0 },
	{ "yield", BATON_YIELD, 0, 0, 0 },
	{ "init", BATON_OBJECT, 0, 0, 0 },
	{ "if", TOY_IF, 0, 0, 0 },
	{ "ifnot", TOY_IF, TOY_NOT, 0, 0 },
	{ "fail", TOY_FAIL, 0, 0, 0 },
	{ "make", TOY_MAKE, 0, 0, 0 },
	{ "exit", TOY_EXIT, 0, 0, 0 },
};

static struct toy_line *add_line(struct toy_program *p, uint32_t thread)
{
	assert(p->length[thread] < TOY_LENGTH);
	return &p->lines[thread][p->length[thread]++];
}

/* Letters are objects, numbers are counts; what stands behind = is a value. */
static struct toy_line parse(const char *text, size_t n)
{
	struct toy_line l = { 0 };
	size_t i = strcspn(text, ":= ");
	bool has_object = false;

	for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++)
		if (strlen(words[k].name) == i && memcmp(words[k].name, text, i) == 0)
			l = (struct toy_line){ .kind = words[k].kind,
					       .flags = words[k].flags,
					       .offset = words[k].offset,
					       .size = words[k].size };
	assert(l.kind != BATON_NONE);
	for (; i < n; i += 2) {
		char c = text[i + 1];

		if (text[i] == '=')
			l.value = c == 'r' ? -1 : c == 's' ? -2 : (int8_t)(c - '0');
		else if (c >= '0' && c <= '9')
			l.count = (uint8_t)(c - '0');
		else if (has_object)
			l.second = (uint8_t)(c - 'a');
		else
			l.object = (uint8_t)(c - 'a'), has_object = true;
	}
	return l;
}

void toy_add(struct toy_program *p, const char *text)
{
	uint32_t thread = p->nthreads++, routine = 0;

	assert(thread < TOY_THREADS);
	for (const char *at = text; *at != '\0'; at += strspn(at, " ")) {
		size_t n = strcspn(at, " ");
		struct toy_line l = parse(at, n);

		at += n;
		*add_line(p, thread) = l;
		if (routine > 0 && --routine == 0)
			add_line(p, thread)->kind = TOY_END_ONCE;
		if (l.kind == BATON_WAIT || l.kind == BATON_BARRIER_IN) {
			*add_line(p, thread) = l;
			p->lines[thread][p->length[thread] - 1].kind++;
		} else if (l.kind == BATON_ONCE) {
			routine = l.count;
		}
	}
}

/* ---- what operations do ---- */

const struct toy_line *toy_pending(const struct toy_program *p, const struct toy_state *s,
				   uint32_t thread)
{
	if (thread >= p->nthreads || !(s->made >> thread & 1) || s->ended >> thread & 1)
		return NULL;
	return &p->lines[thread][s->pc[thread]];
}

bool toy_is_free(const struct toy_state *s, uint32_t lock, uint32_t thread)
{
	return (s->holder[lock] == 0 || s->holder[lock] == thread + 1) && s->readers[lock] == 0;
}

bool toy_is_enabled(const struct toy_program *p, const struct toy_state *s, uint32_t thread)
{
	const struct toy_line *l = toy_pending(p, s, thread);

	if (l == NULL)
		return false;
	switch (l->kind) {
	case BATON_LOCK:
		return toy_is_free(s, l->object, thread);
	case BATON_READ_LOCK:
		return s->holder[l->object] == 0;
	case BATON_WAKE:
		return (s->woken >> thread & 1 || l->flags & BATON_TIMED) &&
		       toy_is_free(s, l->second, thread);
	case BATON_SEM_WAIT:
		return s->sem[l->object] > 0;
	case BATON_BARRIER_OUT:
		return s->round[l->object] != s->my_round[thread];
	case BATON_ONCE:
		return s->once[l->object] != 1;
	case BATON_JOIN:
		return s->ended >> l->count & 1;
	default:
		return true;
	}
}

static void take(struct toy_state *s, uint32_t lock, uint32_t thread)
{
	s->holder[lock] = (uint8_t)(thread + 1);
	s->depth[lock]++;
}

static void give(struct toy_state *s, uint32_t lock)
{
	if (s->depth[lock] > 0 && --s->depth[lock] == 0)
		s->holder[lock] = 0;
}

/* Out of the queue, and, if it was signalled, awake. */
static void leave_queue(struct toy_state *s, uint32_t cond, uint32_t at, bool is_signalled)
{
	if (is_signalled)
		s->woken |= (uint8_t)(1u << s->queue[cond][at]);
	s->queued[cond]--;
	for (; at < s->queued[cond]; at++)
		s->queue[cond][at] = s->queue[cond][at + 1];
	s->queue[cond][s->queued[cond]] = 0;
}

static void do_access(struct toy_state *s, uint32_t thread, const struct toy_line *l)
{
	uint8_t *at = &s->var[l->object][l->offset / 4];
	uint8_t value = (uint8_t)l->value;

	if (l->value < 0)
		value = (uint8_t)(s->reg[thread] - 1 - l->value);
	if (l->size == 0) {
		memset(s->var, 0, sizeof(s->var));
	} else if (l->kind == BATON_READ) {
		s->reg[thread] = l->size == 8 ? (uint8_t)(at[0] + 16 * at[1]) : *at;
	} else if (l->kind == BATON_UPDATE) {
		s->reg[thread] = at[0];
		at[0] = (uint8_t)(at[0] + value);
	} else {
		*at = value;
		if (l->size == 8)
			at[1] = 0;
	}
}

static void do_condition(struct toy_state *s, uint32_t thread, const struct toy_line *l)
{
	uint32_t at = 0;

	switch (l->kind) {
	case BATON_WAIT:
		s->queue[l->object][s->queued[l->object]++] = (uint8_t)thread;
		give(s, l->second);
		break;
	case BATON_WAKE:
		while (at < s->queued[l->object] && s->queue[l->object][at] != thread)
			at++;
		if (at < s->queued[l->object])
			leave_queue(s, l->object, at, false);
		s->reg[thread] = !(s->woken >> thread & 1);
		s->woken &= (uint8_t) ~(1u << thread);
		take(s, l->second, thread);
		break;
	case BATON_SIGNAL:
		if (s->queued[l->object] > 0)
			leave_queue(s, l->object, 0, true);
		break;
	default:
		while (s->queued[l->object] > 0)
			leave_queue(s, l->object, 0, true);
		break;
	}
}

static void do_lock(struct toy_state *s, uint32_t thread, const struct toy_line *l)
{
	switch (l->kind) {
	case BATON_TRY_LOCK:
		s->reg[thread] = toy_is_free(s, l->object, thread);
		if (s->reg[thread])
			take(s, l->object, thread);
		break;
	case BATON_TRY_READ_LOCK:
		s->reg[thread] = s->holder[l->object] == 0;
		s->readers[l->object] += s->reg[thread];
		break;
	case BATON_READ_LOCK:
		s->readers[l->object]++;
		break;
	case BATON_READ_UNLOCK:
		s->readers[l->object]--;
		break;
	case BATON_UNLOCK:
		give(s, l->object);
		break;
	default:
		take(s, l->object, thread);
		break;
	}
}

static void do_other(struct toy_state *s, uint32_t thread, const struct toy_line *l,
		     uint32_t branch)
{
	switch (l->kind) {
	case BATON_SEM_WAIT:
		s->sem[l->object]--;
		break;
	case BATON_SEM_TRY:
		s->reg[thread] = s->sem[l->object] > 0;
		s->sem[l->object] = (int8_t)(s->sem[l->object] - s->reg[thread]);
		break;
	case BATON_SEM_POST:
		s->sem[l->object]++;
		break;
	case BATON_BARRIER_IN:
		s->my_round[thread] = s->round[l->object];
		if (++s->came[l->object] == l->count) {
			s->came[l->object] = 0;
			s->round[l->object]++;
		}
		break;
	case BATON_ONCE:
		if (s->once[l->object] == 0)
			s->once[l->object] = l->count > 0 ? 1 : 2;
		else
			s->pc[thread] = (uint8_t)(s->pc[thread] + l->count + (l->count > 0));
		break;
	case BATON_CHOOSE:
		s->reg[thread] = (uint8_t)branch;
		break;
	case TOY_EXIT:
		s->exited = true;
		break;
	default:
		break;
	}
}

/* The thread goes on to its next step: what it does on the way. */
static void go_on(const struct toy_program *p, struct toy_state *s, uint32_t thread,
		  uint32_t hidden)
{
	for (; s->pc[thread] < p->length[thread]; s->pc[thread]++) {
		const struct toy_line *l = &p->lines[thread][s->pc[thread]];

		if (l->kind == TOY_IF) {
			if ((s->reg[thread] == (uint8_t)l->value) == (l->flags == TOY_NOT))
				s->pc[thread] = (uint8_t)(s->pc[thread] + l->count);
		} else if (l->kind == TOY_FAIL) {
			if (s->reg[thread] == (uint8_t)l->value)
				s->failed |= (uint8_t)(1u << thread);
			if (s->failed != 0 && !p->goes_on)
				return;
		} else if (l->kind == TOY_MAKE) {
			s->made |= (uint8_t)(1u << l->count);
			go_on(p, s, l->count, hidden);
		} else if (l->kind == TOY_END_ONCE) {
			for (uint32_t k = s->pc[thread]; k-- > 0;) {
				if (p->lines[thread][k].kind == BATON_ONCE) {
					s->once[p->lines[thread][k].object] = 2;
					break;
				}
			}
		} else if (BATON_IS_ACCESS(l->kind) && l->size != 0 && hidden >> l->object & 1) {
			do_access(s, thread, l);
		} else {
			return;
		}
	}
	s->ended |= (uint8_t)(1u << thread);
}

void toy_begin(const struct toy_program *p, struct toy_state *s, uint32_t hidden)
{
	uint8_t later = 0;

	*s = (struct toy_state){ 0 };
	memcpy(s->sem, p->semaphores, sizeof(s->sem));
	for (uint32_t t = 0; t < p->nthreads; t++)
		for (uint32_t i = 0; i < p->length[t]; i++)
			if (p->lines[t][i].kind == TOY_MAKE)
				later |= (uint8_t)(1u << p->lines[t][i].count);
	for (uint32_t t = 0; t < p->nthreads; t++) {
		if (!(later >> t & 1)) {
			s->made |= (uint8_t)(1u << t);
			go_on(p, s, t, hidden);
		}
	}
}

void toy_do(const struct toy_program *p, struct toy_state *s, uint32_t thread, uint32_t branch,
	    uint32_t hidden)
{
	const struct toy_line *l = &p->lines[thread][s->pc[thread]];

	if (BATON_IS_ACCESS(l->kind))
		do_access(s, thread, l);
	else if (l->kind >= BATON_LOCK && l->kind <= BATON_READ_UNLOCK)
		do_lock(s, thread, l);
	else if (l->kind >= BATON_WAIT && l->kind <= BATON_BROADCAST)
		do_condition(s, thread, l);
	else
		do_other(s, thread, l, branch);
	s->pc[thread]++;
	if (!s->exited)
		go_on(p, s, thread, hidden);
}

bool toy_is_over(const struct toy_program *p, const struct toy_state *s)
{
	return s->exited || (s->failed != 0 && !p->goes_on) ||
	       s->ended == (uint8_t)((1u << p->nthreads) - 1);
}
