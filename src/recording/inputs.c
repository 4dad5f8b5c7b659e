#include "recording/inputs.h"

void inputs_add(struct inputs *to, const struct trace_input *in, const uint8_t *bytes)
{
	struct trace_input *mine = VEC_PUSH(&to->at);

	*mine = *in;
	mine->bytes = to->bytes.n;
	VEC_APPEND(&to->bytes, bytes, in->n);
}

void inputs_release(struct inputs *in)
{
	VEC_RELEASE_ALL(&in->at, &in->bytes);
}
