#include "base/common.h"

void vec_release_all(void *const *vecs, size_t n)
{
	VEC(char) v; /* all have the same parts, whatever they hold */

	for (size_t i = 0; i < n; i++) {
		memcpy(&v, vecs[i], sizeof(v));
		VEC_RELEASE(&v);
		memcpy(vecs[i], &v, sizeof(v));
	}
}
