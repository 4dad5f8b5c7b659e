#include "capture/common.h"

static __thread bool finding;

bool real_is_finding(void)
{
	return finding;
}

/*
 * A plain dlsym may hand out the oldest of several versions of a name
 * (pthread_cond_wait@GLIBC_2.2.5 works on another struct), so whoever wraps
 * such a name says which one it wants; glibc without that version has only one.
 */
void *real_find(const char *name, const char *version)
{
	SYS_KEEPS_ERRNO;
	void *p = NULL;

	finding = true;
	if (version != NULL)
		p = dlvsym(RTLD_NEXT, name, version);
	if (p == NULL)
		p = dlsym(RTLD_NEXT, name);
	finding = false;
	return p;
}

extern struct real_lookup __start_real_lookups[], __stop_real_lookups[]; /* by the linker */

void real_find_all(void)
{
	for (struct real_lookup *l = __start_real_lookups; l < __stop_real_lookups; l++)
		l->found = real_find(l->name, l->version);
}
