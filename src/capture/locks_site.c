/*
 * Three tables, from the fastest to the slowest:
 *
 *	the thread's stacks   (pc, sp) -> whole stack       compared word by word with memory
 *	all call sites         pc -> site, unwinding rule    read without a lock
 *	.eh_frame             pc -> rule                    read once for each pc
 *
 * When a library is closed (dlclose below), its sites are struck out of the second table, and the
 * kept stacks of all threads become invalid (locks_age).
 */
#include "capture/locks_site.h"

#include "capture/elf.h"
#include "capture/locks_unwind.h"
#include "capture/sync.h"

#define CODE_BITS 17
#define CODE_MASK ((1u << CODE_BITS) - 1)
#define CODE_MOST (CODE_MASK / 4 * 3)
#define SITE_MOST (1u << 20)
#define STRUCK 1u /* a pc that is none */
#define PAGE 4096u

struct code {
	uint64_t pc; /* 0: unused.  Set last, with release; readers acquire. */
	struct locks_rule rule;
	uint32_t site; /* 0: the runtime's own */
	bool plumbing;
};

static struct {
	struct sys_lock lock; /* guards additions */
	struct code *at;
	uint32_t n, nsites;
} codes;

uint32_t locks_age;

static struct {
	uintptr_t start, size; /* of the runtime's own image */
} own;

/* ---- sites in code ---- */

static uint32_t code_home(uint64_t pc)
{
	return (uint32_t)(pc * 0x9e3779b97f4a7c15u >> (64 - CODE_BITS));
}

static void put_site(uint32_t site, uint32_t image, uint64_t offset)
{
	uint8_t buffer[32], *end = LOG_NUMBERS(buffer, site, image, offset);

	log_control(FORMAT_K_C_CODE, buffer, (size_t)(end - buffer));
}

/* codes.lock held.  The bucket is free. */
static const struct code *code_fill(struct code *c, uint64_t pc)
{
	struct dl_find_object at;
	bool found = _dl_find_object((void *)(pc - 1), &at) == 0;
	struct elf_image image = { 0 };

	if (found)
		image = elf_of(&at);
	c->rule = locks_unwind_rule(pc, found ? at.dlfo_eh_frame : NULL, image.low, image.high);
	c->plumbing = image.plumbing;
	c->site = 0;
	if (!image.own) {
		c->site = ++codes.nsites;
		put_site(c->site, image.number, pc - image.bias);
	}
	codes.n += c->pc == 0;
	__atomic_store_n(&c->pc, pc, __ATOMIC_RELEASE);
	return c;
}

/* codes.lock held.  Of more sites than there is room for nothing is known; the trace says so. */
static const struct code *code_refuse(void)
{
	static const char what[] = "more places in code than can be told apart";
	static const struct code none;
	static bool said;

	if (!said)
		log_control(FORMAT_K_C_TROUBLE, what, sizeof(what) - 1);
	said = true;
	return &none;
}

static const struct code *code_add(uint64_t pc)
{
	SYS_HOLD(&codes.lock);
	struct code *room = NULL;

	for (uint32_t i = code_home(pc);; i = (i + 1) & CODE_MASK) {
		struct code *c = &codes.at[i];

		if (c->pc == pc)
			return c;
		if (c->pc <= STRUCK && room == NULL)
			room = c;
		if (c->pc == 0)
			return codes.n < CODE_MOST && codes.nsites < SITE_MOST ? code_fill(room, pc)
									       : code_refuse();
	}
}

static const struct code *code_get(uint64_t pc)
{
	for (uint32_t i = code_home(pc);; i = (i + 1) & CODE_MASK) {
		uint64_t is = __atomic_load_n(&codes.at[i].pc, __ATOMIC_ACQUIRE);

		if (is == pc)
			return &codes.at[i];
		if (is == 0)
			return code_add(pc);
	}
}

static void code_strike_gone(void)
{
	struct dl_find_object at;

	sys_lock_take(&codes.lock);
	for (uint32_t i = 0; i <= CODE_MASK; i++) {
		struct code *c = &codes.at[i];

		if (c->pc > STRUCK && _dl_find_object((void *)(c->pc - 1), &at) != 0)
			__atomic_store_n(&c->pc, STRUCK, __ATOMIC_RELAXED);
	}
	sys_lock_drop(&codes.lock);
	__atomic_fetch_add(&locks_age, 1, __ATOMIC_RELEASE);
}

EXPORT int dlclose(void *handle)
{
	int r = REAL(dlclose)(handle);
	struct thread *t = hook_enter();

	if (t == NULL)
		return r;
	elf_forget();
	code_strike_gone();
	hook_leave(t);
	return r;
}

/* ---- stacks ---- */

struct frame {
	uint64_t pc, sp, bp;
};

/* Up to where a stack that sp lies in may be read.  Of one that the program has made itself
 * nothing is known but that the page is there. */
static uint64_t stack_high(const struct thread *t, uint64_t sp)
{
	if (sp >= t->stack_low && sp < t->stack_high)
		return t->stack_high;
	return (sp & ~(uint64_t)(PAGE - 1)) + PAGE;
}

static uint64_t word_at(uint64_t address)
{
	return *(const uint64_t *)address;
}

/* To the caller's frame.  False: there is none. */
static bool frame_leave(struct frame *f, const struct locks_rule *rule, uint64_t high)
{
	uint64_t cfa;

	if (rule->base == LOCKS_BASE_NONE)
		return false;
	cfa = (rule->base == LOCKS_BASE_SP ? f->sp : f->bp) + (uint64_t)(int64_t)rule->offset;
	if (cfa % 8 != 0 || cfa < f->sp + 8 || cfa > high)
		return false;
	if (rule->bp != 0) {
		uint64_t at = cfa + (uint64_t)(8 * (int64_t)rule->bp);

		if (at < f->sp || at >= cfa)
			return false;
		f->bp = word_at(at);
	}
	f->pc = word_at(cfa - 8);
	f->sp = cfa;
	return f->pc > STRUCK;
}

/* What is below main and below a thread's function says nothing; nor does what calls back into
 * the runtime (pthread_once), where there is somebody who called that. */
static COLD void unwind(const struct thread *t, struct frame f, struct locks_stack *s)
{
	uint64_t high = stack_high(t, f.sp);
	const struct code *c = code_get(f.pc);
	bool inside = c->plumbing;
	uint32_t n = 0, last = 0;

	s->pc = f.pc;
	s->sp = f.sp;
	s->site = c->site;
	while (n < LOCKS_FRAMES && frame_leave(&f, &c->rule, high)) {
		uint32_t site;

		c = code_get(f.pc);
		if (c->rule.end)
			break;
		site = inside ? 0 : c->site;
		if (inside && !c->plumbing) {
			s->site = c->site;
			inside = false;
		}
		s->frames[n++] = (struct locks_frame){ f.pc, (uint32_t)(f.sp - 8 - s->sp), site };
		if (!c->plumbing)
			last = n;
	}
	s->n = last;
}

/* The view has stacks outermost first; the log states from `low' on what has changed.  True: some
 * has. */
static bool show(struct foresee_view *v, const struct locks_stack *s)
{
	uint32_t depth = 0, low = v->low < v->depth ? v->low : v->depth, same = 0;

	for (uint32_t i = s->n; i-- > 0;) {
		if (s->frames[i].site == 0)
			continue;
		if (same == depth && depth < v->depth && v->frames[depth] == s->frames[i].site)
			same++;
		v->frames[depth++] = s->frames[i].site;
	}
	if (same == depth && depth == v->depth)
		return false;
	v->low = low < same ? low : same;
	v->depth = depth;
	return true;
}

static COLD void show_new(struct thread *t, struct locks_stack *s)
{
	s->shape = show(&t->view, s) ? ++t->stacks.shapes : t->stacks.shape;
}

/* One that was met before; its shape may be that of another by now. */
static COLD void show_known(struct thread *t, struct locks_stack *s)
{
	if (!show(&t->view, s))
		s->shape = t->stacks.shape;
}

/* The runtime's own frames have frame pointers: follows them to the caller of the runtime. */
static struct frame caller(void)
{
	const uint64_t *bp = __builtin_frame_address(0);

	while (bp[1] - own.start < own.size)
		bp = (const uint64_t *)bp[0];
	return (struct frame){ .pc = bp[1], .sp = (uint64_t)(bp + 2), .bp = bp[0] };
}

uint32_t locks_site(struct thread *t)
{
	struct frame f = caller();
	struct locks_stack *s = locks_stack_at(&t->stacks, f.pc, f.sp);
	uint32_t age = __atomic_load_n(&locks_age, __ATOMIC_ACQUIRE);

	if (UNLIKELY(s->pc != f.pc || s->sp != f.sp || s->age != age || !locks_stack_is_still(s))) {
		s->age = age;
		unwind(t, f, s);
		show_new(t, s);
	} else if (UNLIKELY(s->shape != t->stacks.shape)) {
		show_known(t, s);
	}
	t->stacks.shape = s->shape;
	t->view.call_site = s->site;
	return s->site;
}

bool locks_site_start(void)
{
	struct dl_find_object at;

	if (_dl_find_object(&own, &at) != 0)
		return false;
	own.start = (uintptr_t)at.dlfo_map_start;
	own.size = (uintptr_t)at.dlfo_map_end - own.start;
	codes.at = sys_pages(sizeof(*codes.at) << CODE_BITS);
	return codes.at != NULL;
}
