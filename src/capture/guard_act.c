/*
 * What is done where a property is violated: in the thread that noticed, after the event, before its next one.
 * The hook is over but for this; no lock of ours is held.  Handlers of the program run with live hooks: what they
 * do is done, carries knowledge and changes states; what is violated inside is told and no more.
 */
#include <foresee.h>

#include "capture/guard_priv.h"

#include <time.h>

#include "capture/module.h"
#include "capture/sync.h"
#include "capture/text.h"

#define NOT_HERE (&(struct foresee_site){ .file = NULL })

/* ---- words ---- */

/* One line for each property and place. */
static bool is_news(uint32_t property, uint32_t site)
{
	static uint64_t told[256];
	static uint32_t lock, n;
	uint64_t key = (uint64_t)site << 8 | property;
	bool fresh = true;

	if (guard_all)
		return true;
	guard_spin(&lock);
	for (uint32_t i = 0; i < n; i++)
		fresh &= told[i] != key;
	if (fresh && n < sizeof(told) / sizeof(told[0]))
		told[n++] = key;
	else
		fresh = false;
	guard_unspin(&lock);
	return fresh;
}

static struct foresee_site site_of(uint32_t site)
{
	const struct foresee_site *s;
	struct foresee_site copy;

	module_lock();
	s = module_site(site, NULL);
	copy = *(s != NULL ? s : NOT_HERE);
	module_unlock();
	return copy;
}

static void value_add(struct text *out, const struct know_variable *v, uint64_t raw)
{
	unsigned unused = 64 - 8 * v->size;
	int64_t value = (int64_t)(raw << unused) >> unused;

	if (v->is_signed && value < 0)
		text_add(out, "-%lu", (unsigned long)-(uint64_t)value);
	else
		text_add(out, "%lu", (unsigned long)(raw << unused >> unused));
}

#define SHOWN 8u

/* What it knows, and by which write: "; knows c = 50 (write 3)". */
static void knowledge_add(struct text *out, const struct guard *g)
{
	const struct know_program *p = guard_world.program;

	for (uint32_t i = 0; i < p->nvariables && i < SHOWN; i++) {
		text_add(out, "%s%s = ", i == 0 ? "; it knows " : ", ",
			 know_string(p, know_variables(p)[i].name));
		value_add(out, &know_variables(p)[i], know_value(&g->k, i));
		if (g->k.own->words[2 * i] != 0)
			text_add(out, " (write %lu)", (unsigned long)g->k.own->words[2 * i]);
	}
}

static void tell(const struct thread *t, const struct guard *g, uint32_t i, const char *what)
{
	const struct know_program *p = guard_world.program;
	const struct foresee_site s = site_of(g->site);
	const char *name = g->label[0] ? g->label : g->routine;
	struct text out = { .n = 0 };
	SYS_KEEPS_ERRNO;

	text_add(&out, "foresee: property '%s' is violated in T%lu",
		 know_string(p, know_properties(p)[i].name), (unsigned long)t->tid);
	if (name[0])
		text_add(&out, " \"%s\"", name);
	if (s.file != NULL)
		text_add(&out, " at %s:%lu in %s", text_behind(s.file, '/'), (unsigned long)s.line,
			 s.function != NULL ? s.function : "?");
	knowledge_add(&out, g);
	text_add(&out, "%s", what);
	out.at[out.n < TEXT_ROOM ? out.n++ : TEXT_ROOM - 1] = '\n';
	syscall(SYS_write, 2, out.at, out.n);
}

/* ---- actions ---- */

/* The program's code runs: hooks are live, as outside of hooks. */
static uint32_t code_begin(struct thread *t, struct guard *g)
{
	uint32_t live = t->view.live;

	g->handling = true;
	t->view.live = THREAD_LIVE | THREAD_CONTROLLED;
	__asm__ volatile("" ::: "memory");
	return live;
}

static void code_end(struct thread *t, struct guard *g, uint32_t live)
{
	__asm__ volatile("" ::: "memory");
	t->view.live = live;
	g->handling = false;
}

static void call(struct thread *t, struct guard *g, const struct know_property *y, uint64_t count)
{
	const struct know_program *p = guard_world.program;
	const struct foresee_site s = site_of(g->site);
	const struct foresee_violation v = { .property = know_string(p, y->name),
					     .thread = g->label[0] ? g->label : g->routine,
					     .file = s.file,
					     .function = s.function,
					     .line = s.line,
					     .number = t->tid,
					     .count = count };
	void (*handler)(const struct foresee_violation *) = (void (*)(
		const struct foresee_violation *))((uintptr_t)guard_main_at + (uintptr_t)y->value);
	uint32_t site = t->view.call_site, live = code_begin(t, g);

	handler(&v);
	code_end(t, g, live);
	t->view.call_site = site;
}

static void set(struct thread *t, struct guard *g, const struct know_property *y)
{
	const struct know_variable *v = &know_variables(guard_world.program)[y->target];
	void *at = (void *)guard_places[y->target].from;
	uint32_t live = code_begin(t, g);

	if (v->size == 1)
		foresee_write1(at, (uint8_t)y->value, g->site);
	else if (v->size == 2)
		foresee_write2(at, (uint16_t)y->value, g->site);
	else if (v->size == 4)
		foresee_write4(at, (uint32_t)y->value, g->site);
	else
		foresee_write8(at, (uint64_t)y->value, g->site);
	code_end(t, g, live);
}

static uint64_t now_us(void)
{
	struct timespec at;

	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &at);
	return (uint64_t)at.tv_sec * 1000000 + (uint64_t)at.tv_nsec / 1000;
}

/* As if it read all that the spec names, again and again: what others have left there arrives. */
static void news_take(struct guard *g)
{
	const struct know_program *p = guard_world.program;

	for (uint32_t i = 0; i < p->nplaces; i++) {
		if (know_variables(p)[i].is_lock)
			continue;
		guard_spin(&guard_places[i].lock);
		know_take(&g->k, &guard_places[i].cell, KNOW_READS);
		guard_unspin(&guard_places[i].lock);
	}
}

static const char *await(struct guard *g, const struct know_property *y)
{
	const struct timespec pause = { 0, 100000 };
	uint64_t end = now_us() + (uint64_t)y->limit * 1000;

	if (g->held != 0)
		return "; it holds a lock, and so does not wait";
	for (;;) {
		news_take(g);
		if (know_holds(&g->k, y->until))
			return "; it waited until that was over";
		if (now_us() >= end)
			return "; it waited in vain, and goes on";
		syscall(SYS_nanosleep, &pause, NULL);
	}
}

static void stop(void)
{
	guard_say(
		"guard: process %lu stops here: look at it with 'gdb -p %lu'; 'kill -CONT %lu' lets it "
		"go on",
		(unsigned long)getpid(), (unsigned long)getpid(), (unsigned long)getpid());
	syscall(SYS_kill, getpid(), SIGSTOP);
}

static bool on_stack(const struct thread *t, uintptr_t at)
{
	return at >= t->stack_low && at < t->stack_high;
}

/* A handler that has jumped out is over: the stack is higher up than where it was called.  Of other stacks, as signal
 * handlers may have them, nothing is known. */
static bool has_left(const struct thread *t, const struct guard *g, uintptr_t frame)
{
	return on_stack(t, frame) && on_stack(t, g->frame) && frame >= g->frame;
}

static void act(struct thread *t, struct guard *g, uint32_t i)
{
	const struct know_property *y = &know_properties(guard_world.program)[i];
	uint64_t count = __atomic_add_fetch(&guard_counts[i], 1, __ATOMIC_RELAXED);
	const char *what = "";
	bool told = y->action != KNOW_DO_COUNT && is_news(i, g->site);

	if (g->handling) {
		if (told)
			tell(t, g, i, "; while another handler runs");
		return;
	}
	if (y->action == KNOW_DO_WAIT)
		what = await(g, y);
	if (told && (guard_all || y->action != KNOW_DO_CALL))
		tell(t, g, i, what);
	if (y->action == KNOW_DO_CALL)
		call(t, g, y, count);
	else if (y->action == KNOW_DO_SET)
		set(t, g, y);
	else if (y->action == KNOW_DO_STOP)
		stop();
	else if (y->action == KNOW_DO_ABORT)
		abort();
}

void guard_recover(struct thread *t, struct guard *g)
{
	uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
	uint64_t due = g->due;

	if (g->handling && has_left(t, g, frame))
		g->handling = false;
	if (!g->handling)
		g->frame = frame;
	for (g->due = 0; due != 0 && !guard_is_gone; due &= due - 1)
		act(t, g, (uint32_t)__builtin_ctzll(due));
}
