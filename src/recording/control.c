#include "recording/control.h"

#include "base/wire.h"
#include "recording/blocks.h"
#include "recording/decode.h"

/* A cut may be spread over several records with its number. */
static void cut_take(struct control *c, struct wire *w)
{
	uint64_t number = wire_varint(w), n = wire_varint(w);
	uint32_t tid = 0;

	if (w->bad || n > wire_left(w)) {
		wire_fail(w);
		return;
	}
	if (c->cuts.n == 0 || number != c->cut_number)
		*VEC_PUSH(&c->cuts) = c->pairs.n;
	c->cut_number = number;
	for (; n > 0; n--) {
		struct control_pair p;

		tid += wire_u32(w);
		p.tid = tid;
		p.tseq = wire_varint(w);
		if (w->bad)
			return;
		*VEC_PUSH(&c->pairs) = p;
	}
}

static void record_take(struct control *c, unsigned kind, struct wire *w, struct texts *notes)
{
	uint64_t status;

	switch (kind) {
	case FORMAT_K_C_CUT:
		cut_take(c, w);
		break;
	case FORMAT_K_C_TROUBLE:
		c->trouble = true;
		texts_note(notes, "the recorder says: %s", program_text(&c->program, w));
		break;
	case FORMAT_K_C_NOTE:
		texts_note(notes, "the recorder says: %s", program_text(&c->program, w));
		break;
	case FORMAT_K_C_END:
		status = wire_varint(w);
		c->ended = true;
		c->exit_status = status <= INT32_MAX ? (int)status : -1;
		break;
	default: /* kinds of a later foresee tell us nothing we use */
		(void)program_take(&c->program, kind, w);
		break;
	}
}

/* False: damage; the rest of the stream is not used. */
static bool chunk_take(struct control *c, const struct blocks_chunk *k, const uint8_t *bytes,
		       uint32_t n, struct texts *notes)
{
	struct wire w = { bytes, bytes + n, false };

	while (wire_left(&w) >= 4) {
		const uint8_t *at = w.at;
		uint32_t head = (uint32_t)wire_fixed(&w, 4);
		struct wire body;

		if (!k->closed && (head == 0 || (uint32_t)(at - bytes) >= k->seen))
			return true;
		body = wire_part(&w, head >> FORMAT_LEN_SHIFT);
		body.bad |= (head & FORMAT_FORM) != FORMAT_OTHER;
		if (!body.bad)
			record_take(c, decode_kind(head, &body), &body, notes);
		if (body.bad) {
			texts_note(notes, "damaged control record at offset %llu",
				   (unsigned long long)(k->offset + sizeof(struct format_chunk) +
							(uint64_t)(at - bytes)));
			return false;
		}
		c->bytes += (uint64_t)(w.at - at);
	}
	return true;
}

static void stream_read(struct control *c, struct blocks *b, struct texts *notes)
{
	const struct blocks_thread *t = blocks_thread(b, FORMAT_CONTROL_TID);
	bool good = true;

	c->exit_status = -1;
	for (uint32_t i = 0; t && i < t->count && good; i++) {
		struct blocks_chunk k;
		uint8_t *bytes;
		uint32_t n;

		good = blocks_load(b, t, i, &k, &bytes, &n);
		if (good) {
			good = chunk_take(c, &k, bytes, n, notes);
			mem_free(bytes);
		}
	}
	if (!good)
		c->trouble = true;
	program_settle(&c->program);
}

void control_read(struct control *c, struct blocks *b, struct texts *notes)
{
	memset(c, 0, sizeof(*c));
	program_init(&c->program);
	stream_read(c, b, notes);
}

static void cuts_release(struct control *c)
{
	VEC_RELEASE_ALL(&c->pairs, &c->cuts);
}

void control_read_more(struct control *c, struct blocks *b, struct texts *notes)
{
	cuts_release(c);
	program_reset(&c->program);
	*c = (struct control){ .program = c->program };
	stream_read(c, b, notes);
}

void control_release(struct control *c)
{
	cuts_release(c);
	program_release(&c->program);
}
