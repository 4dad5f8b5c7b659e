#include "base/common.h"

void vec_release(void *vec)
{
	VEC(char) v; /* all have the same parts, whatever they hold */

	memcpy(&v, vec, sizeof(v));
	VEC_RELEASE(&v);
	memcpy(vec, &v, sizeof(v));
}

void vec_release_all(void *const *vecs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		vec_release(vecs[i]);
}
