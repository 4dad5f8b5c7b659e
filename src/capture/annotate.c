/*
 * What <foresee.h> offers to programs.  The names are part of the public
 * interface; the header declares them weak, here they are defined.
 */
#include <string.h>

#include "capture/real.h"
#include "capture/sync.h"

void foresee_thread_name(const char *name);

EXPORT void foresee_thread_name(const char *name)
{
	struct thread *t = hook_enter();

	if (t != NULL) {
		sync_name(t, name, strlen(name));
		hook_leave(t);
	}
}
