/*
 * Messages between a recording and its observer (doc/OBSERVER_PROTOCOL.md).
 *
 *	| magic | version, type | length | 0 | sum | payload, `length' bytes |
 *
 * Both directions use the same frame.  A message is taken apart where it lies in a buffer of fixed
 * size, whose bytes may come in pieces of any length; nothing in it is believed before its sum
 * agrees, and not much after that: sizes and strings are checked here, meaning by link/store.h.
 *
 * Ownership: what a message points to belongs to the sender when it is put, and to the buffer when
 * it is taken: good until the next bytes come in.
 */
#ifndef LINK_MESSAGE_H
#define LINK_MESSAGE_H

#include "base/common.h"
#include "trace/format.h"

#define MESSAGE_MAGIC 0x4b4e4c46u /* "FLNK" */
#define MESSAGE_VERSION 1
#define MESSAGE_WORDS 1024			 /* bytes of a text, with its NUL */
#define MESSAGE_BYTES (FORMAT_SLOT_SIZE + 4096u) /* records in one message */

struct message_head {
	uint32_t magic;
	uint16_t version, type;
	uint32_t length;
	uint32_t zero;
	uint64_t sum; /* format_sum of the payload, seeded with length << 32 | type */
};
_Static_assert(sizeof(struct message_head) == 24, "message head");

/* X(name, words, least and most bytes of payload).  Append only: numbers are on the wire. */
#define MESSAGE_TYPES(X)                              \
	X(HELLO, "hello", 26, 24 + 2 * MESSAGE_WORDS) \
	X(WELCOME, "welcome", 0, 64)                  \
	X(REFUSED, "refused", 5, 4 + MESSAGE_WORDS)   \
	X(CHUNK, "chunk", 72, 72 + MESSAGE_BYTES)     \
	X(OPEN, "open", 33, 32 + MESSAGE_BYTES)       \
	X(DROPPED, "dropped", 16, 16)                 \
	X(END, "end", 16, 16)                         \
	X(BYE, "bye", 8, 8)                           \
	X(PING, "ping", 0, 0)

enum message_type {
	MESSAGE_NONE,
#define X(id, words, least, most) MESSAGE_##id,
	MESSAGE_TYPES(X)
#undef X
		MESSAGE_NTYPES
};

#define MESSAGE_MAX (72 + MESSAGE_BYTES) /* payload of the largest */

/* Who records what: the first message of a recording. */
struct message_hello {
	uint32_t format; /* FORMAT_VERSION of the trace */
	uint32_t flags;	 /* of its file header, as are pid and start_ns */
	uint32_t pid;
	uint64_t start_ns;
	const char *token, *program; /* never NULL */
};

/* Records of one chunk from byte `from' on. */
struct message_records {
	uint32_t from, n;
	const uint8_t *bytes;
};

/* Beside the signal in END: what FORMAT_ENDED_HUNG and FORMAT_ENDED_ASKED say. */
#define MESSAGE_SIGNAL 255u /* mask */
#define MESSAGE_HUNG 256u
#define MESSAGE_ASKED 512u
#define MESSAGE_FAULT_SHIFT 10 /* the thread that got the signal; 0: not known */

struct message {
	enum message_type type;
	union {
		struct message_hello hello;
		struct {
			bool again; /* it may be worth trying later */
			const char *words;
		} refused;
		/* The chunk is closed; these are the bytes that were not sent before. */
		struct {
			struct format_chunk head;
			struct message_records rest;
		} chunk;
		/* The chunk is being written; it has grown. */
		struct {
			uint32_t tid, number;
			uint64_t first_tseq, start_ns;
			struct message_records more;
		} open;
		/* Chunks from .. to - 1 of a thread are gone: the ring of the recorder was faster.
		 * All 0: of some threads, who knows which. */
		struct {
			uint32_t tid, from, to;
		} dropped;
		struct {
			/* Of the program, as far as known; signal with MESSAGE_HUNG, MESSAGE_ASKED,
			 * and the thread that got it. */
			uint32_t status, signal;
			uint64_t bytes; /* of records, in all messages before */
		} end;
		struct {
			uint64_t bytes; /* of records, that have arrived */
		} bye;
	};
};

const char *message_name(enum message_type type);

/* ---- a buffer of messages on their way ---- */

struct message_buffer {
	uint8_t *at;
	size_t begin, end, room; /* bytes begin .. end - 1 are there */
};

/* Room for at least one message of any kind. */
void message_buffer_init(struct message_buffer *b);
void message_buffer_release(struct message_buffer *b);

/* Where more bytes can go, *n of them; moves what is there. */
uint8_t *message_buffer_free(struct message_buffer *b, size_t *n);
void message_buffer_filled(struct message_buffer *b, size_t n);

/* Appends m.  False: there is no room for it now. */
bool message_put(struct message_buffer *b, const struct message *m) ST_CHECKED;

/*
 * Takes the first message.  ST_END: it is not there whole yet; ST_BAD_INPUT: what came is no
 * message, or one of another version, and nothing after it can be understood.
 */
enum status message_take(struct message_buffer *b, struct message *m, struct diag *d) ST_CHECKED;

#endif /* LINK_MESSAGE_H */
