/*
 *	FORESEE_TRACE    where to write; absent: record nothing
 *	FORESEE_PID      the one process that may
 *	FORESEE_OPTIONS  lines: full, only=PATTERN, ignore=PATTERN, announce, keep=BYTES,
 *	linger=MS, follow-fork, control=PLAN, describe; without FORESEE_TRACE
 *	guard=FILE, guard-all
 *	FORESEE_CUT      for tests: a cut after so many bytes
 */
#include "capture/channel.h"
#include "capture/control.h"
#include "capture/elf.h"
#include "capture/guard.h"
#include "capture/log.h"
#include "capture/module.h"
#include "capture/process.h"

static const char *plan; /* of a replay, up to the end of its line; NULL: none */

bool start_option(const char *s, size_t n)
{
	if (n == 8 && memcmp(s, "announce", 8) == 0)
		announce_start();
	else if (n > 5 && memcmp(s, "only=", 5) == 0)
		module_pattern(s + 5, n - 5, true);
	else if (n > 7 && memcmp(s, "ignore=", 7) == 0)
		module_pattern(s + 7, n - 7, false);
	else if (n > 8 && memcmp(s, "control=", 8) == 0)
		plan = s + 8;
	else if (n == 8 && memcmp(s, "describe", 8) == 0)
		linger_describe();
	return module_patterns;
}

const char *start_asked(struct log_options *opt)
{
	const char *path = getenv("FORESEE_TRACE"), *pid = getenv("FORESEE_PID");

	if (path == NULL || (pid != NULL && strtol(pid, NULL, 10) != getpid()))
		return NULL;
	start_options(opt, getenv("FORESEE_OPTIONS"), getenv("FORESEE_CUT"));
	return path;
}

/* Shadow for where Linux puts programs, heaps, libraries and stacks. */
static bool cover_everything(void)
{
	const uintptr_t block = (uintptr_t)1 << 40;
	const void *samples[] = { (void *)0x10000,
				  &foresee_self,
				  sbrk(0),
				  &samples,
				  (void *)(uintptr_t)&strlen,
				  getenv("FORESEE_TRACE") };

	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		uintptr_t at = (uintptr_t)samples[i];

		if (!tag_cover(samples[i], 1))
			return false;
		/* Mappings grow downwards from the libraries, heaps upwards from the program. */
		if (at > 2 * block && !tag_cover((void *)(at - block), 1))
			return false;
	}
	return tag_cover((void *)((uintptr_t)sbrk(0) + block), 1) || sbrk(0) == (void *)-1;
}

/* The environment of the program has all that the next one needs. */
char *const *exec_environment(char *const env[])
{
	return env;
}

/* Functions go on in their twins, and nothing is watched. */
void start_not(void)
{
	module_watch(
		&(struct foresee_watch){ .low = FORESEE_NO_ADDRESS, .twins = FORESEE_TWINS_TRUST });
}

void start_handlers(void)
{
	channel_unseen(FORMAT_K_TAKE);
}

bool start_prepare(void)
{
	if (!cover_everything()) {
		log_trouble("cannot reserve the shadow of the program's memory", errno);
		return false;
	}
	if (guard_on)
		return true;
	log_control_memory(FORMAT_K_C_HIDDEN, 0, 0);
	elf_steady_start();
	module_start();
	if (plan != NULL)
		control_start(plan);
	return true;
}
