/*
 * Which argument of a call is the lock, condition, semaphore, barrier or once flag.
 *
 * C has them first.  In C++ that is `this' of a mutex or condition, the second argument where a
 * guard is made (after the guard itself), the first of std::call_once.  A guard of several mutexes
 * names none.  Nor does condition_variable_any, which has a mutex of its own inside: events of that
 * mutex and of the lock that it waits with come from the same call.
 */
#include "instrument/unit_priv.h"

#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

struct family {
	const char *prefix; /* of the function's name; in C++ of the class's, with its length */
	uint64_t size;	    /* of what the argument points to */
};

static const struct family c_functions[] = {
	{ "pthread_mutex_", sizeof(pthread_mutex_t) },
	{ "pthread_rwlock_", sizeof(pthread_rwlock_t) },
	{ "pthread_spin_", sizeof(pthread_spinlock_t) },
	{ "pthread_cond_", sizeof(pthread_cond_t) },
	{ "pthread_barrier_", sizeof(pthread_barrier_t) },
	{ "pthread_once", sizeof(pthread_once_t) },
	{ "sem_init", sizeof(sem_t) },
	{ "sem_post", sizeof(sem_t) },
	{ "sem_wait", sizeof(sem_t) },
	{ "sem_trywait", sizeof(sem_t) },
	{ "sem_timedwait", sizeof(sem_t) },
	{ "sem_clockwait", sizeof(sem_t) },
	{ "mtx_", sizeof(mtx_t) },
	{ "cnd_", sizeof(cnd_t) },
	{ "call_once", sizeof(once_flag) },
};

/* They hold what C has, and nothing else.  A timed mutex, too, by libstdc++. */
static const struct family classes[] = {
	{ "5mutex", sizeof(pthread_mutex_t) },
	{ "15recursive_mutex", sizeof(pthread_mutex_t) },
	{ "11timed_mutex", sizeof(pthread_mutex_t) },
	{ "21recursive_timed_mutex", sizeof(pthread_mutex_t) },
	{ "12shared_mutex", sizeof(pthread_rwlock_t) },
	{ "18shared_timed_mutex", sizeof(pthread_rwlock_t) },
	{ "18condition_variable", sizeof(pthread_cond_t) },
};

static const char *const guards[] = { "10lock_guardI", "11unique_lockI", "11shared_lockI",
				      "11scoped_lockI" };

static const struct family *family_of(const struct family *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (unit_has_prefix(name, list[i].prefix))
			return &list[i];
	return NULL;
}

#define FAMILY_OF(list, name) family_of(list, sizeof(list) / sizeof(*(list)), name)

/* The name after namespace std, also libc++'s that is versioned; NULL when it is in no other. */
static const char *in_std(const char *mangled)
{
	static const char *const prefixes[] = { "_ZNSt3__1", "_ZNSt", "_ZSt" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (unit_has_prefix(mangled, prefixes[i]))
			return mangled + strlen(prefixes[i]);
	return NULL;
}

static bool makes_guard(const char *name)
{
	return UNIT_HAS_ONE_OF(name, guards) && (strstr(name, "EC1E") || strstr(name, "EC2E"));
}

/* The lock type is the guard's argument: the first class named in it. */
static uint64_t guarded_size(const char *name)
{
	for (const char *p = strchr(name, 'I'); p && *p; p++) {
		const struct family *class = FAMILY_OF(classes, p);

		if (class)
			return class->size;
	}
	return 0;
}

static LLVMValueRef cxx_argument(LLVMValueRef call, const char *name, uint64_t *size)
{
	unsigned n = LLVMGetNumArgOperands(call);
	const struct family *class = FAMILY_OF(classes, name);

	if (class) {
		*size = class->size;
		return n > 0 ? LLVMGetOperand(call, 0) : NULL;
	}
	if (unit_has_prefix(name, "9call_onceI") && n > 0) {
		*size = sizeof(once_flag);
		return LLVMGetOperand(call, 0);
	}
	if (!makes_guard(name) || n < 2 || (n > 2 && unit_has_prefix(name, "11scoped_lockI")))
		return NULL;
	*size = guarded_size(name);
	return *size ? LLVMGetOperand(call, 1) : NULL;
}

LLVMValueRef locks_argument(LLVMValueRef call, uint64_t *size)
{
	LLVMValueRef callee = unit_callee(call), argument = NULL;
	const struct family *family;
	const char *name, *inner;

	if (!callee)
		return NULL;
	name = unit_name(callee);
	inner = in_std(name);
	family = inner ? NULL : FAMILY_OF(c_functions, name);
	if (inner) {
		argument = cxx_argument(call, inner, size);
	} else if (family && LLVMGetNumArgOperands(call) > 0) {
		argument = LLVMGetOperand(call, 0);
		*size = family->size;
	}
	return argument && LLVMGetTypeKind(LLVMTypeOf(argument)) == LLVMPointerTypeKind ? argument
											: NULL;
}
