/* The plan, who is who in it, and waiting.  The gates themselves: control_gate.c. */
#include "capture/baton.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/auxv.h>

#include "capture/guard.h"
#include "capture/log.h"
#include "capture/module.h"
#include "capture/sys.h"

bool control_on, control_bare;
struct plan_head *control_plan;

static struct control *newest;	     /* atomic */
static uint32_t adopted;	     /* atomic: threads that unseen code has made so far */
static struct dl_find_object loader; /* where its code lies; set at the start */

/* ---- the file ---- */

static void *table(uint64_t at)
{
	return (char *)control_plan + at;
}

/* The tool made it, so that it is whole is looked at once, and not table by table. */
static bool is_baton(int fd, uint64_t size, struct baton_file *f)
{
	return syscall(SYS_pread64, fd, f, sizeof(*f), 0) == sizeof(*f) &&
	       f->magic == BATON_MAGIC && f->size >= sizeof(struct baton_head) &&
	       BATON_PAGE + f->size * (1 + (uint64_t)f->jobs) == size;
}

static bool is_plan(const struct plan_head *h, uint64_t size)
{
	return h->magic == PLAN_MAGIC && h->size == size && h->nthreads > 0 &&
	       h->seats + h->nthreads * sizeof(struct plan_seat) <= h->touched &&
	       h->touched + h->nsteps * sizeof(uint64_t) <= size;
}

static int plan_open(const char *line)
{
	size_t n = strcspn(line, "\n");
	char path[PATH_MAX];

	if (n >= sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(path, line, n);
	path[n] = '\0';
	return (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
}

/* No gate holds anybody: there is no plan, only the baton. */
static void take_baton(struct baton_file *f, int fd)
{
	static struct plan_head none = { .freed = 1 };

	baton_start(f, fd);
	control_plan = &none;
}

bool control_is_loader(const void *code)
{
	return code >= loader.dlfo_map_start && code < loader.dlfo_map_end;
}

void control_start(const char *line)
{
	int saved = errno, fd = plan_open(line);
	off_t size = fd >= 0 ? syscall(SYS_lseek, fd, 0, SEEK_END) : 0;
	uint32_t nobody = 0;
	struct plan_head *h = MAP_FAILED;
	struct baton_file f;
	bool baton = is_baton(fd, (uint64_t)size, &f);

	if (size >= (off_t)sizeof(*h))
		h = sys_mmap(NULL, baton ? BATON_PAGE + f.size : (size_t)size,
			     PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	baton = baton && h != MAP_FAILED;
	if (fd >= 0 && !baton)
		syscall(SYS_close, fd);
	if (baton)
		take_baton((void *)h, fd);
	else if (h == MAP_FAILED || !is_plan(h, (uint64_t)size))
		log_trouble("the plan of the replay cannot be read", errno);
	else if (__atomic_compare_exchange_n(&h->taken, &nobody, 1, false, __ATOMIC_ACQ_REL,
					     __ATOMIC_ACQUIRE))
		control_plan = h;
	control_on = control_plan != NULL;
	if (control_on && !baton)
		control_clock_start();
	if (_dl_find_object((void *)getauxval(AT_BASE), &loader) != 0)
		loader.dlfo_map_end = NULL; /* it is not known which code is the loader's */
	errno = saved;
}

/* ---- keys ---- */

#define SITES (1u << 22) /* of which the key is kept */
#define LOOKS 200	 /* at one who is on his way, before a sleep */

uint32_t control_key(uint32_t site)
{
	static uint32_t *keys; /* atomic; made by whoever comes first */
	uint32_t *all = __atomic_load_n(&keys, __ATOMIC_ACQUIRE), *none = NULL, key = 0;
	const struct foresee_site *s;

	if (site == 0)
		return 0;
	if (all == NULL && (all = sys_pages(SITES * sizeof(*all))) != NULL &&
	    !__atomic_compare_exchange_n(&keys, &none, all, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE)) {
		sys_munmap(all, SITES * sizeof(*all));
		all = none;
	}
	if (all != NULL && site < SITES && (key = all[site]) != 0)
		return key;
	module_lock();
	s = module_site(site, NULL);
	if (s != NULL)
		key = plan_key(s->file, s->function, s->line, s->column, s->kind);
	module_unlock();
	if (all != NULL && site < SITES)
		all[site] = key;
	return key;
}

/* ---- threads ---- */

struct control *control_newest(void)
{
	return __atomic_load_n(&newest, __ATOMIC_ACQUIRE);
}

static struct control *make(uint32_t index)
{
	static const struct plan_thread outside; /* an empty part */
	struct control *c = sys_pages(sizeof(*c) + sizeof(struct plan_seat));

	if (c == NULL) {
		log_trouble("no memory to control another thread", errno);
		return NULL;
	}
	c->index = index;
	c->epoch = 1;
	c->part = &outside;
	c->seat = (struct plan_seat *)(c + 1);
	if (index != CONTROL_OUTSIDE) {
		c->part = (const struct plan_thread *)table(control_plan->threads) + index;
		c->steps = (const struct plan_step *)table(control_plan->steps) + c->part->step;
		c->keys = (const uint32_t *)table(control_plan->keys) + c->part->key;
		c->seat = (struct plan_seat *)table(control_plan->seats) + index;
	}
	c->older = control_newest();
	while (!__atomic_compare_exchange_n(&newest, &c->older, c, false, __ATOMIC_RELEASE,
					    __ATOMIC_ACQUIRE))
		;
	return c;
}

/* The thread of the plan that this one makes with its ordinal-th creation. */
static uint32_t find(int32_t maker, uint32_t ordinal)
{
	const struct plan_thread *all = table(control_plan->threads);

	for (uint32_t i = 0; i < control_plan->nthreads; i++)
		if (all[i].maker == maker && all[i].ordinal == ordinal)
			return i;
	return CONTROL_OUTSIDE;
}

/* To the plan, of which there is none, it is a thread outside. */
static struct control *make_for_baton(void)
{
	struct control *c = make(CONTROL_OUTSIDE);

	if (c != NULL)
		c->index = baton_new();
	return c;
}

struct control *control_first(void)
{
	if (baton_is_on())
		return make_for_baton();
	return control_on ? make(find(PLAN_FIRST, 0)) : NULL;
}

struct control *control_child(struct thread *t)
{
	struct control *c = t->control;

	if (guard_on)
		return guard_child(t);
	if (c == NULL)
		return NULL;
	if (baton_is_on()) {
		baton_serve();
		return make_for_baton();
	}
	return make(c->index == CONTROL_OUTSIDE ? CONTROL_OUTSIDE
						: find((int32_t)c->index, c->nforks++));
}

struct control *control_adopted(void)
{
	if (!control_on)
		return NULL;
	if (baton_is_on())
		return make_for_baton();
	return make(find(PLAN_ADOPTED, __atomic_fetch_add(&adopted, 1, __ATOMIC_RELAXED)));
}

void control_begin(struct thread *t)
{
	struct control *c = t->control;
	struct plan_seat *s;

	if (guard_on) {
		guard_begin(t);
		return;
	}
	s = c->seat;
	if (baton_is_on()) {
		baton_begin(t);
		return;
	}
	s->kernel = (uint32_t)t->kernel;
	s->tid = t->tid;
	s->handle = (uint64_t)pthread_self();
	__atomic_store_n(&s->state, PLAN_RUNS, __ATOMIC_RELEASE);
	control_ring();
	/* A thread that unseen code has made runs on: who made it may wait for it. */
	if (c->part->events == 0 && (c->index != CONTROL_OUTSIDE || t->fork_tid != 0))
		control_stop(c);
}

void control_end(struct thread *t)
{
	struct control *c = t->control;

	if (guard_on) {
		guard_end(t);
		return;
	}
	if (baton_is_on()) {
		baton_end(t);
		return;
	}
	if (!control_is_free() && !control_is_beyond(c))
		control_diverge(c, PLAN_WHY_ENDED, 0, c->keys[c->solids]);
	else if (!control_is_free() && control_step(c) != NULL)
		control_diverge(c, PLAN_WHY_ENDED, 0, control_step(c)->key);
	else if (!control_is_free() && !c->part->ends && c->index != CONTROL_OUTSIDE)
		control_stop(c);
	control_progress(c, 2 * c->part->nsteps);
	__atomic_store_n(&c->seat->state, PLAN_GONE, __ATOMIC_RELEASE);
	control_ring();
}

void control_created(const struct control *child, bool made)
{
	if (baton_is_on())
		baton_created(child->index, made);
}

void control_exit(void)
{
	if (baton_is_on()) {
		baton_serve();
		baton_exit();
	}
}

void control_forked(void)
{
	if (baton_is_on())
		baton_head->forked = 1;
}

void control_serve(void)
{
	baton_serve();
}

void control_outside(int fd)
{
	if (baton_is_on())
		baton_outside(fd);
}

void control_trouble(const char *why, size_t n)
{
	if (baton_is_on())
		baton_trouble(why, n);
}

bool control_is_baton(void)
{
	return baton_is_on();
}

/* ---- waiting ---- */

void control_sleep(uint32_t *word, uint32_t while_it_is)
{
	int saved = errno;

	syscall(SYS_futex, word, FUTEX_WAIT, while_it_is, NULL, NULL, 0);
	errno = saved;
}

void control_wake(uint32_t *word)
{
	int saved = errno;

	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	errno = saved;
}

void control_ring(void)
{
	__atomic_fetch_add(&control_plan->doorbell, 1, __ATOMIC_RELEASE);
	control_wake(&control_plan->doorbell);
}

static void state(struct control *c, enum plan_state s)
{
	__atomic_store_n(&c->seat->state, s, __ATOMIC_RELEASE);
}

static void sleep_until_free(void)
{
	while (!control_is_free())
		control_sleep(&control_plan->freed, 0);
}

/* Either the waiting thread sees the progress, or we see that it is wanted: neither looks before it
 * has written. */
void control_progress(struct control *c, uint32_t to)
{
	struct plan_seat *s = c->seat;
	uint32_t wanted;

	if (s->progress >= to)
		return;
	__atomic_store_n(&s->progress, to, __ATOMIC_SEQ_CST);
	wanted = __atomic_load_n(&s->wanted, __ATOMIC_SEQ_CST);
	if (wanted == 0 || wanted > to)
		return;
	__atomic_store_n(&s->wanted, 0, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&s->bell, 1, __ATOMIC_SEQ_CST);
	control_wake(&s->bell);
}

static bool has_come(const struct plan_seat *s, uint32_t progress)
{
	return __atomic_load_n(&s->progress, __ATOMIC_SEQ_CST) >= progress || control_is_free();
}

static void want(struct plan_seat *s, uint32_t progress)
{
	uint32_t wanted = __atomic_load_n(&s->wanted, __ATOMIC_SEQ_CST);

	while ((wanted == 0 || wanted > progress) &&
	       !__atomic_compare_exchange_n(&s->wanted, &wanted, progress, false, __ATOMIC_SEQ_CST,
					    __ATOMIC_SEQ_CST))
		;
}

/* One who is on his way comes sooner than a sleep and a waking are done; who looks for longer takes the
 * processor from him, where there are few. */
static bool comes_soon(const struct plan_seat *s, uint32_t progress)
{
	for (int i = 0; i < LOOKS; i++) {
		if (has_come(s, progress))
			return true;
		__builtin_ia32_pause();
	}
	return false;
}

/* Who wants more than another one is woken with it, and says so again. */
static void await(struct control *c, const struct plan_wait *w, struct plan_seat *other)
{
	while (!comes_soon(other, w->progress)) {
		uint32_t bell = __atomic_load_n(&other->bell, __ATOMIC_SEQ_CST);

		c->seat->waits_for = w->thread;
		c->seat->waits_progress = w->progress;
		state(c, PLAN_GATED);
		want(other, w->progress);
		if (!has_come(other, w->progress))
			control_sleep(&other->bell, bell);
	}
}

/* A debugger stops here: nobody else needs it by name. */
__attribute__((visibility("default"), noinline)) void foresee_replay_step(void);
void foresee_replay_step(void)
{
	__asm__ volatile("" ::: "memory");
}

/* Somebody goes from step to step: those before this one are over. */
static void pause_before(struct control *c, const struct plan_step *s)
{
	uint32_t paced = __atomic_load_n(&control_plan->paced, __ATOMIC_ACQUIRE);

	if (paced >= s->pace || control_is_free())
		return;
	state(c, PLAN_PAUSED);
	control_ring();
	foresee_replay_step();
	while ((paced = __atomic_load_n(&control_plan->paced, __ATOMIC_ACQUIRE)) < s->pace &&
	       !control_is_free())
		control_sleep(&control_plan->paced, paced);
}

void control_await(struct control *c, const struct plan_step *s)
{
	const struct plan_wait *waits = (const struct plan_wait *)table(control_plan->waits);
	struct plan_seat *seats = table(control_plan->seats);

	for (uint32_t i = 0; i < s->nwaits; i++) {
		const struct plan_wait *w = &waits[s->wait + i];

		await(c, w, &seats[w->thread]);
	}
	pause_before(c, s);
	state(c, PLAN_RUNS);
}

void control_touched(const struct control *c, const struct plan_step *s)
{
	const struct plan_step *all = table(control_plan->steps);

	((uint64_t *)table(control_plan->touched))[s - all] = c->op.addr;
}

void control_stand(struct control *c, const struct plan_step *s)
{
	control_await(c, s);
	c->targeted = true;
	state(c, PLAN_STANDS);
	__atomic_fetch_add(&control_plan->arrived, 1, __ATOMIC_ACQ_REL);
	control_ring();
	while (__atomic_load_n(&c->seat->go, __ATOMIC_ACQUIRE) == 0)
		control_sleep(&c->seat->go, 0);
	state(c, PLAN_LET_GO);
}

void control_stop(struct control *c)
{
	control_progress(c, 2 * c->part->nsteps);
	state(c, PLAN_STOPPED);
	control_ring();
	sleep_until_free();
	state(c, PLAN_RUNS);
}

void control_diverge(struct control *c, enum plan_why why, uint32_t site, uint32_t key)
{
	struct plan_head *h = control_plan;
	uint32_t not = PLAN_WHY_NOT, claimed = UINT32_MAX;

	/* The reason is written last: when it is there, so is the rest. */
	if (__atomic_compare_exchange_n(&h->diverged, &not, claimed, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE)) {
		h->thread = c->index;
		h->step = c->next;
		h->site = site;
		h->expected_key = key;
		h->solids = c->solids;
		h->value = c->op.value;
		__atomic_store_n(&h->diverged, why, __ATOMIC_RELEASE);
		control_ring();
	}
	sleep_until_free();
}

void control_show(struct control *c, const struct thread *t, const struct plan_op *op)
{
	struct plan_seat *s = c->seat;
	uint32_t depth = t->view.depth, n = depth < PLAN_STACK ? depth : PLAN_STACK;

	s->step = c->next;
	s->solids = c->solids;
	s->op = *op;
	s->depth = depth;
	for (uint32_t i = 0; i < n; i++)
		s->stack[i] = t->view.frames[(depth - 1 - i) & (FORESEE_DEPTH - 1)];
}

/* ---- tables ---- */

#define TABLE_FIRST 1024u

static bool grow(struct control_table *table)
{
	uint32_t size = table->at != NULL ? 2 * (table->mask + 1) : TABLE_FIRST;
	struct control_table bigger = { .mask = size - 1, .stamp = table->stamp };
	bool fresh;

	bigger.at = sys_pages(size * sizeof(*bigger.at));
	if (bigger.at == NULL)
		return false;
	for (uint32_t i = 0; table->at != NULL && i <= table->mask; i++) {
		const struct control_entry *e = &table->at[i];

		if (e->stamp == table->stamp)
			*control_find(&bigger, e->key, &fresh) = *e;
	}
	if (table->at != NULL)
		sys_munmap(table->at, (table->mask + 1) * sizeof(*table->at));
	*table = bigger;
	return true;
}

struct control_entry *control_find(struct control_table *table, uint64_t key, bool *fresh)
{
	uint32_t i;

	if ((table->at == NULL || 2 * table->used > table->mask) && !grow(table))
		return NULL;
	for (i = (uint32_t)(key * 0x9e3779b97f4a7c15u >> 32) & table->mask;
	     table->at[i].stamp == table->stamp; i = (i + 1) & table->mask)
		if (table->at[i].key == key) {
			*fresh = false;
			return &table->at[i];
		}
	table->used++;
	table->at[i] = (struct control_entry){ .key = key, .stamp = table->stamp };
	*fresh = true;
	return &table->at[i];
}
