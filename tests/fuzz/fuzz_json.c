/*
 * JSON of any bytes: refused with a place, or a tree whose every value can be reached once, and asked for.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/diag.h"
#include "base/json_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* How many values there are below a node, each reached once. */
static size_t walk(const struct json_tree *t, uint32_t node)
{
	size_t n = 1;

	assert(node != JSON_NONE && strlen(json_key(t, node)) < t->text.n);
	if (json_text(t, node))
		assert(strlen(json_text(t, node)) < t->text.n);
	json_uint(t, node);
	for (uint32_t i = json_first(t, node); i != JSON_NONE; i = json_next(t, i))
		n += walk(t, i);
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct json_tree t = { 0 };
	struct diag d = { 0 };
	uint32_t all;

	if (json_read(&t, (const char *)data, size, "fuzz", &all, &d) == ST_OK)
		assert(walk(&t, all) == t.at.n - 1);
	else
		assert(strncmp(d.message, "fuzz:", 5) == 0);
	json_tree_release(&t);
	return 0;
}
