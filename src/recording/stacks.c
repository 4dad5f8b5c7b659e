#include "recording/stacks.h"

void stacks_init(struct stacks *s)
{
	memset(s, 0, sizeof(*s));
	*VEC_PUSH(&s->nodes) = (struct stacks_node){ 0, 0, 0 };
}

void stacks_release(struct stacks *s)
{
	VEC_RELEASE_ALL(&s->nodes, &s->path);
	map_release(&s->children);
}

uint32_t stacks_push(struct stacks *s, uint32_t stack, uint32_t site)
{
	bool fresh;
	uint64_t *index;

	assert(stack < s->nodes.n);
	index = map_put(&s->children, (uint64_t)stack << 32 | site, &fresh);
	if (fresh) {
		uint32_t depth = s->nodes.at[stack].depth + 1;

		*index = s->nodes.n;
		*VEC_PUSH(&s->nodes) = (struct stacks_node){ stack, site, depth };
	}
	return (uint32_t)*index;
}

uint32_t stacks_cut(const struct stacks *s, uint32_t stack, uint32_t keep)
{
	assert(stack < s->nodes.n);
	while (s->nodes.at[stack].depth > keep)
		stack = s->nodes.at[stack].parent;
	return stack;
}

uint32_t stacks_get(struct stacks *s, uint32_t stack, const uint32_t **sites)
{
	VEC_CLEAR(&s->path);
	if (stack >= s->nodes.n)
		stack = 0;
	for (; stack != 0; stack = s->nodes.at[stack].parent)
		*VEC_PUSH(&s->path) = s->nodes.at[stack].site;
	*sites = s->path.at;
	return (uint32_t)s->path.n;
}
