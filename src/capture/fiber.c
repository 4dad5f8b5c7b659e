#include "capture/fiber_priv.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "capture/create_priv.h"
#include "capture/heap.h"
#include "capture/thread.h"

#ifdef __x86_64__

bool fiber_on;
struct fiber_kept *fiber_kept;

#define NULL_MAJOR 1 /* /dev/null */
#define NULL_MINOR 3
#define RSEQ_BYTES 32
#define RSEQ_SIGNATURE 0x53053053
#define TCB_MOST 4096u /* bytes of it in which the number of the thread is looked for */

/* Of glibc 2.35 and later: where the kernel writes to the memory of a thread whenever it likes. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

static uint32_t
	tid_offset; /* in what a handle points to: the thread's number, 0 when it has ended */

static struct fiber *self(void)
{
	return &fiber_kept->fibers[fiber_kept->running];
}

/* ---- making them ---- */

/* The kernel is not to write to memory that is protected. */
static bool rseq_stop(uint64_t base)
{
	const int32_t *area;

	if (&__rseq_size == NULL || __rseq_size == 0)
		return true;
	area = (const int32_t *)(base + (uint64_t)__rseq_offset);
	return area[1] < 0 /* the processor that it runs on */ ||
	       syscall(SYS_rseq, area, RSEQ_BYTES, 1, RSEQ_SIGNATURE) == 0;
}

static bool describe(struct fiber *f)
{
	pthread_attr_t attr;
	void *low = NULL;
	size_t size = 0;

	f->base = (uint64_t)pthread_self();
	f->tid = (pid_t)syscall(SYS_gettid);
	heap_aside(true);
	if (pthread_getattr_np(pthread_self(), &attr) != 0)
		return false;
	pthread_attr_getstack(&attr, &low, &size);
	pthread_attr_destroy(&attr);
	heap_aside(false);
	f->stack_low = (uintptr_t)low;
	f->stack_high = (uintptr_t)low + size;
	return rseq_stop(f->base);
}

/* In a thread of its own, before it stops. */
void fiber_prepare(struct fiber *f)
{
	sigset_t all;

	foresee_self = &thread_gone.view;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	if (!describe(f))
		f->base = 0;
}

static bool make(struct fiber *f)
{
	pthread_t handle;
	int r;

	heap_aside(true); /* a run has nothing of that on its heap */
	r = REAL_VERSIONED(pthread_create, "GLIBC_2.34")(&handle, NULL, fiber_switch_life, f);
	heap_aside(false);
	if (r != 0)
		return false;
	while (__atomic_load_n(&f->ready, __ATOMIC_ACQUIRE) == 0)
		syscall(SYS_sched_yield);
	return f->base != 0;
}

static bool is_tid(uint32_t offset)
{
	for (uint32_t i = 0; i < fiber_kept->nfibers; i++)
		if (*(const pid_t *)(fiber_kept->fibers[i].base + offset) !=
		    fiber_kept->fibers[i].tid)
			return false;
	return true;
}

/* The C library does not say where it is, but it is the same in all threads. */
static bool find_tid(void)
{
	uint32_t n = 0;

	for (uint32_t at = 0; at < TCB_MOST && n < 2; at += sizeof(pid_t))
		if (is_tid(at)) {
			tid_offset = at;
			n++;
		}
	return n == 1;
}

static bool make_all(uint32_t n)
{
	if (!describe(&fiber_kept->fibers[0]))
		return false;
	for (fiber_kept->nfibers = 1; fiber_kept->nfibers < n; fiber_kept->nfibers++)
		if (!make(&fiber_kept->fibers[fiber_kept->nfibers]))
			return false;
	return find_tid();
}

/* ---- memory of the runtime ---- */

#define ROOM (8u << 20)

static char *room; /* where the next goes, of all that a run may need */
static size_t room_left;

void *fiber_pages(size_t n)
{
	char *at = room;

	n = (n + FIBER_PAGE - 1) & ~(size_t)(FIBER_PAGE - 1);
	if (n > room_left)
		fiber_irregular(BATON_IRREGULAR_MEMORY);
	room += n;
	room_left -= n;
	return at;
}

/* ---- a run ---- */

static void fault(int n, siginfo_t *info, void *context)
{
	(void)n;
	if (info->si_code != SEGV_ACCERR || !fiber_memory_fault((uintptr_t)info->si_addr))
		fiber_irregular_from(context, fiber_kept->npages == FIBER_PAGES
						      ? BATON_IRREGULAR_MEMORY
						      : BATON_IRREGULAR_FAULT);
}

static void sleep_while(uint32_t *word, uint32_t it_is)
{
	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == it_is)
		fiber_switch_call(SYS_futex, (long)word, FUTEX_WAIT, it_is, 0, 0, 0);
}

static void wake(uint32_t *word)
{
	fiber_switch_call(SYS_futex, (long)word, FUTEX_WAKE, 1, 0, 0, 0);
}

static bool is_power_of_2(uint64_t n)
{
	return (n & (n - 1)) == 0;
}

/* Whatever goes wrong is told of a process only, and now and then it is looked whether one does the same. */
static bool is_final(const struct baton_fibers *f)
{
	uint32_t outcome = baton_head->outcome;

	return fiber_kept->irregular == BATON_REGULAR && fiber_kept->ended == 0 &&
	       (outcome == BATON_RAN || outcome == BATON_BLOCKED || outcome == BATON_TOO_LONG) &&
	       !is_power_of_2(f->regular);
}

static void answer(struct baton_fibers *f)
{
	f->irregular = fiber_kept->irregular;
	f->ended = fiber_kept->ended;
	f->regular += f->irregular == BATON_REGULAR;
	if (!is_final(f)) {
		__atomic_store_n(&f->listens, 0, __ATOMIC_RELEASE);
		wake(&f->listens);
		sleep_while(&f->listens, 0);
		return;
	}
	baton_head->ended = f->ended;
	__atomic_fetch_add(&baton_head->answered, 1, __ATOMIC_RELEASE);
	__atomic_fetch_add(&baton_file->bell, 1, __ATOMIC_RELEASE);
	wake(&baton_file->bell);
}

static void begin(void)
{
	for (uint32_t i = 0; i < fiber_kept->nfibers; i++) {
		struct fiber *f = &fiber_kept->fibers[i];

		f->sp = f->first_sp;
		f->mask = 0;
		f->ends = f->allocates = false;
	}
	fiber_kept->nmade = 1;
	fiber_kept->running = 0;
	fiber_kept->irregular = 0;
	fiber_kept->ended = 0;
}

/* On a stack of its own, between the runs. */
static void manage(void)
{
	const struct fiber *first = &fiber_kept->fibers[0];

	if (!fiber_memory_protect())
		fiber_switch_call(SYS_exit_group, 1, 0, 0, 0, 0, 0);
	for (;;) {
		sleep_while(&baton_head->asked, baton_head->answered);
		baton_head->child = first->tid;
		fiber_memory_restore();
		begin();
		fiber_switch_to(&fiber_kept->manager, first->first_sp, first->base);
		answer(&baton_head->fibers);
	}
}

/* Input is empty, and output goes nowhere. */
static bool is_quiet(void)
{
	struct stat st;

	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (syscall(SYS_fstat, fd, &st) != 0 || !S_ISCHR(st.st_mode) ||
		    st.st_rdev != makedev(NULL_MAJOR, NULL_MINOR))
			return false;
	return true;
}

bool fiber_serve(void)
{
	uint64_t manager;

	if (!is_quiet())
		return false;
	syscall(SYS_close, baton_file_fd);
	baton_file_fd = -1;
	baton_pin();
	fiber_kept = sys_pages(sizeof(*fiber_kept));
	room = sys_pages(ROOM);
	room_left = ROOM;
	fiber_switch_start();
	if (fiber_kept == NULL || room == NULL || !make_all(baton_head->fibers.nthreads) ||
	    !fiber_memory_start() || !fiber_call_handle(SIGSEGV, fault))
		return false;
	manager = fiber_switch_new(fiber_kept->stack + FIBER_STACK, manage);
	fiber_on = true;
	if (!fiber_call_start())
		return false;
	fiber_switch_to(&fiber_kept->fibers[0].first_sp, manager, fiber_kept->fibers[0].base);
	return true;
}

/* ---- the end of a run ---- */

_Noreturn void fiber_leave(int status)
{
	fiber_kept->ended = (status & 0xff) << 8;
	fiber_switch_load(0, fiber_kept->manager, fiber_kept->fibers[0].base);
}

_Noreturn void fiber_irregular(uint32_t why)
{
	fiber_kept->irregular = why;
	fiber_leave(0);
}

static void load_from(ucontext_t *u, uint64_t sp, uint64_t base)
{
	u->uc_mcontext.gregs[REG_RIP] = (greg_t)fiber_switch_load;
	u->uc_mcontext.gregs[REG_RSI] = (greg_t)sp;
	u->uc_mcontext.gregs[REG_RDX] = (greg_t)base;
}

void fiber_leave_from(ucontext_t *u)
{
	load_from(u, fiber_kept->manager, fiber_kept->fibers[0].base);
}

void fiber_irregular_from(ucontext_t *u, uint32_t why)
{
	fiber_kept->irregular = why;
	fiber_leave_from(u);
}

/* ---- threads ---- */

/* What is not the default, but for being detached, is not so here. */
static bool is_plain(const pthread_attr_t *attr)
{
	pthread_attr_t plain;
	int detached;

	if (attr == NULL)
		return true;
	pthread_attr_init(&plain);
	pthread_attr_getdetachstate(attr, &detached);
	pthread_attr_setdetachstate(&plain, detached);
	return memcmp((const char *)&plain, (const char *)attr, sizeof(plain)) == 0;
}

int fiber_create(pthread_t *handle, const pthread_attr_t *attr, void *(*run)(void *), void *arg)
{
	struct fiber *f = &fiber_kept->fibers[fiber_kept->nmade];
	int detached = PTHREAD_CREATE_JOINABLE;

	if (fiber_kept->nmade + 1 != baton_head->nthreads)
		fiber_irregular(BATON_IRREGULAR_THREAD);
	if (fiber_kept->nmade == fiber_kept->nfibers)
		fiber_irregular(BATON_IRREGULAR_THREADS);
	if (!is_plain(attr))
		fiber_irregular(BATON_IRREGULAR_THREAD);
	fiber_kept->nmade++;
	f->run = run;
	f->arg = arg;
	f->mask = self()->mask;
	*handle = (pthread_t)f->base;
	if (attr != NULL)
		pthread_attr_getdetachstate(attr, &detached);
	return detached == PTHREAD_CREATE_DETACHED ? pthread_detach(*handle) : 0;
}

void fiber_switch(uint32_t thread)
{
	struct fiber *me = self(), *f = &fiber_kept->fibers[thread];

	if (f == me)
		return;
	fiber_kept->running = thread;
	fiber_switch_to(&me->sp, f->sp, f->base);
}

void fiber_begin(uint32_t thread)
{
	fiber_kept->fibers[thread].maker = fiber_kept->running;
	fiber_switch(thread);
}

void fiber_begun(void)
{
	fiber_switch(self()->maker);
}

void fiber_ends(uint32_t thread)
{
	self()->ends = true;
	self()->then = thread;
}

void fiber_ends_first(void)
{
	fiber_ends(self()->maker);
}

/* As the kernel does. */
static struct fiber *next(void)
{
	struct fiber *me = self();

	*(pid_t *)(me->base + tid_offset) = 0;
	fiber_kept->running = me->then;
	return self();
}

void fiber_end_from(ucontext_t *u)
{
	const struct fiber *f;

	if (!self()->ends) {
		fiber_irregular_from(u, BATON_IRREGULAR_THREAD);
		return;
	}
	f = next();
	load_from(u, f->sp, f->base);
}

#define KEYS 128 /* that are looked at */

static bool has_values(void)
{
	for (pthread_key_t k = 0; k < KEYS; k++)
		if (pthread_getspecific(k) != NULL)
			return true;
	return false;
}

bool fiber_reads(const void *p)
{
	return fiber_switch_call(SYS_futex, (long)p, FUTEX_CMP_REQUEUE | FUTEX_PRIVATE_FLAG, 0, 0,
				 (long)p, 0) != -EFAULT;
}

void fiber_gone(void)
{
	const struct fiber *f = self();

	if (!f->ends || f->allocates || has_values())
		return;
	f = next();
	fiber_switch_load(0, f->sp, f->base);
}

void fiber_allocates(void)
{
	self()->allocates = true;
}

int fiber_tid(void)
{
	return self()->tid;
}

void fiber_stack(uintptr_t *low, uintptr_t *high)
{
	*low = self()->stack_low;
	*high = self()->stack_high;
}
#endif
