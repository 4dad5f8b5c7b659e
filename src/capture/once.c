/*
 * One-time initialisation: pthread_once, and the guards of C++ local statics.
 *
 *	the one that runs it      others
 *	ONCE_BEGIN
 *	  the routine
 *	ONCE_END                  (waiting inside the real call)
 *	                          ONCE_PASS
 *
 * pthread_once does not say which thread ran the routine, so it is given a routine of ours, which
 * knows.
 *
 * A routine that an exception leaves, or whose thread ends in it, has not run: another thread tries again, after
 * all of it.  That is an ONCE_END too, which our routine logs as its frame is unwound.
 */
#include <unwind.h>

#include "capture/filter.h"
#include "capture/habit.h"
#include "capture/lock_priv.h"

struct once_call {
	void *control;
	void (*routine)(void);
	bool ran;
	uint32_t site;		 /* of the call: the routine's own calls come in between */
	struct once_call *outer; /* a routine may call pthread_once on something else */
};

/* The innermost call of this thread. */
static __thread struct once_call *innermost;

/* Called for the frame of run_it by whoever unwinds it: glibc's frame, which lets others try, comes later.  There is
 * nothing to go to in it, so it needs no help of the unwinder's, nor a library that has it. */
__attribute__((used)) static _Unwind_Reason_Code once_left(int version, _Unwind_Action actions,
							   _Unwind_Exception_Class class,
							   struct _Unwind_Exception *exception,
							   struct _Unwind_Context *context)
{
	struct once_call *r = innermost;

	(void)version;
	(void)class;
	(void)exception;
	(void)context;
	if (actions & _UA_CLEANUP_PHASE) {
		foresee_self->call_site = r->site;
		lock_note(r->control, FORMAT_K_ONCE_END, 0);
		innermost = r->outer;
	}
	return _URC_CONTINUE_UNWIND;
}

/* 0x1b: relative to where it stands, four bytes. */
__attribute__((noinline)) static void run_it(void)
{
	struct once_call *r = innermost;

	__asm__ volatile(".cfi_personality 0x1b, once_left");
	r->ran = true;
	lock_note(r->control, FORMAT_K_ONCE_BEGIN, 0);
	r->routine();
	foresee_self->call_site = r->site;
	lock_note(r->control, FORMAT_K_ONCE_END, 0);
}

int once_run(void *control, void (*routine)(void), int (*call)(void *, void (*)(void)))
{
	struct once_call r = { .control = control,
			       .routine = routine,
			       .site = foresee_self->call_site,
			       .outer = innermost };
	int result;

	/* Who runs the routine is decided inside the call, where others wait. */
	control_call(FORMAT_K_ONCE_BEGIN, 0, control);
	innermost = &r;
	result = call(control, run_it);
	innermost = r.outer;
	if (result == 0 && !r.ran)
		lock_note(control, FORMAT_K_ONCE_PASS, 0);
	return result;
}

static int posix_once(void *control, void (*routine)(void))
{
	return REAL(pthread_once)(control, routine);
}

/*
 * Guards of local statics (Itanium C++ ABI 3.3.3).  Compiled code tests the
 * guard's first byte itself, with an atomic load that the pass sees, and only calls on
 * when it is 0.  So the store of that byte, in the C++ runtime where no pass has
 * been, must look like any other store: made under the tag's lock.
 */
void __cxa_guard_release(uint64_t *guard);

static void guard_release(uint64_t *guard)
{
	void (*real)(uint64_t *) = REAL(__cxa_guard_release);
	struct thread *t = hook_enter();
	uint64_t *tag = tag_of(guard);
	tag_version before;

	if (t == NULL) {
		real(guard);
		return;
	}
	sync_log(t, FORMAT_K_ONCE_END, 0, guard);
	if (CONTROLLED(t))
		control_access(t, guard, 1, t->view.call_site,
			       CONTROL_WRITES | CONTROL_ATOMIC | CONTROL_ORDERS | CONTROL_RELEASES,
			       1);
	before = tag_lock(tag);
	real(guard);
	habit_log(t, FORMAT_WRITE | FORMAT_ATOMIC | (uint32_t)__ATOMIC_RELEASE << HABIT_ORDER_SHIFT,
		  t->view.call_site, (uintptr_t)guard, before, *(uint8_t *)guard, NULL);
	tag_unlock(tag, tag_make(t->tid, t->tseq));
	hook_leave(t);
}

#define INTERPOSED_ONCE
#include "capture/interposed.def"
