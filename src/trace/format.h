/*
 * The bytes of a trace file.  doc/TRACE_FORMAT.md is the specification; this
 * header is its constants, shared by the writer inside the program
 * (src/capture) and the reader (src/recording).
 *
 * All numbers are little-endian.
 */
#ifndef TRACE_FORMAT_H
#define TRACE_FORMAT_H

#include <stdint.h>

#define FORMAT_MAGIC "FORESEE\n"
#define FORMAT_VERSION 8

/* Everything after the file header starts at a multiple of this. */
#define FORMAT_ALIGN 64

/* File header flags. */
#define FORMAT_FULL 1u	  /* --full: nothing was filtered */
#define FORMAT_PARTIAL 2u /* --only / --ignore / --locks-only: accesses are missing by request */
#define FORMAT_LOCKS 4u	  /* --locks-only: there are none; sites are addresses of code */
#define FORMAT_KEEP 8u	  /* --keep: old chunks give way to new ones, and may be gone */
#define FORMAT_COPY 16u	  /* an observer's: what did not arrive is missing */
#define FORMAT_CODE 32u	  /* --valgrind: sites are addresses of code, as with FORMAT_LOCKS */
#define FORMAT_BLIND 64u /* with CODE: no call that synchronises was seen, as of a static program */

/* A C_NOTE that begins so: the process of C_PROCESS is recorded no more, but a child of it. */
#define FORMAT_NOTE_CHILD "forked: the recording went on with the child"

struct format_file {
	char magic[8];
	uint32_t version;
	uint32_t header_size; /* where the first block starts; >= sizeof this */
	uint32_t flags;	      /* FORMAT_FULL, FORMAT_PARTIAL */
	uint32_t pid;
	uint64_t start_ns; /* CLOCK_REALTIME */
	/* How the process ended, from the one who waited for it; zeros: nobody has said. */
	uint8_t ended;	    /* FORMAT_ENDED_* */
	uint8_t end_status; /* with _EXITED */
	uint8_t end_signal; /* with _KILLED */
	/* From the runtime, right before the signal killed the process; zeros: it did not see it. */
	uint8_t fault_signal;
	uint32_t fault_tid; /* the thread that got it */
	uint64_t end_size;  /* bytes that the file had when `ended' was written; 0: not known */
	uint64_t caught;    /* with CODE: signals that the program has handlers for, bit n - 1 */
	uint8_t reserved[8];
};
_Static_assert(sizeof(struct format_file) == 64, "file header");

#define FORMAT_ENDED_EXITED 1u
#define FORMAT_ENDED_KILLED 2u
#define FORMAT_ENDED_HUNG 4u	/* all its threads waited for good, until it was killed */
#define FORMAT_ENDED_ASKED 8u	/* somebody had asked for its end: Ctrl-C, SIGTERM */
#define FORMAT_ENDED_BECAME 16u /* as another program, by exec: this trace is of the one before */

/* Blocks: what follows the file header, each with a 64-byte head. */
#define FORMAT_CHUNK 0x4b484346u /* "FCHK": events of one thread */
#define FORMAT_SLOTS 0x544c5346u /* "FSLT": room for chunks still being written */
#define FORMAT_AREA 0x45524146u	 /* "FARE": chunks that are dropped together */

#define FORMAT_CONTROL_TID 0 /* the control stream */

#define FORMAT_CHUNK_CLOSED 1u /* used, ntrailing and sum are valid */
#define FORMAT_CHUNK_LAST 2u   /* the thread ended here in good order */

/* A chunk: this head, then `used' bytes of records. */
struct format_chunk {
	uint32_t magic; /* FORMAT_CHUNK */
	uint32_t tid;
	uint32_t number;     /* of this thread's chunks, from 0 */
	uint32_t used;	     /* bytes of records; while open: not valid */
	uint64_t first_tseq; /* event number of the chunk's first event */
	uint64_t start_ns;   /* CLOCK_MONOTONIC when the chunk was begun */
	uint32_t ntrailing;  /* TRAILING records inside */
	uint32_t flags;
	uint64_t sum;	   /* format_sum of the records, seeded with number */
	uint64_t nevents;  /* events numbered in this chunk */
	uint32_t nitems;   /* events as they are shown: a range is one, rereads count */
	uint32_t head_sum; /* format_head_sum, closed chunks only */
};
_Static_assert(sizeof(struct format_chunk) == 64, "chunk head");

/* A slot extent: this head, then count * size bytes.  Each slot holds one
 * open chunk (head and records), or zeros. */
struct format_slots {
	uint32_t magic; /* FORMAT_SLOTS */
	uint32_t count;
	uint32_t size;	 /* bytes per slot, a multiple of 4096 */
	uint32_t first;	 /* offset of the first slot from this head */
	uint64_t length; /* of the whole block, this head included */
	uint8_t reserved[40];
};
_Static_assert(sizeof(struct format_slots) == 64, "slot head");

#define FORMAT_SLOT_SIZE (128u << 10)

/*
 * An area (--keep): this head, then closed chunks of threads, one after the other, then zeros up to
 * `length'.  When the file has grown to its bound the oldest area is emptied and gets a new
 * generation.  Heads of chunks are written in the order in which they lie, so there are no holes;
 * the records of the last ones may not be there yet (the sum is wrong: the chunk is in its slot).
 */
struct format_area {
	uint32_t magic;	     /* FORMAT_AREA */
	uint32_t generation; /* from 1, over all areas: the order in which they were begun; 0: it is
			      * being emptied, and nothing in it counts */
	uint64_t length;     /* of the whole block, this head included */
	uint8_t reserved[48];
};
_Static_assert(sizeof(struct format_area) == 64, "area head");

/*
 * Record heads are written last, so that a record is there whole or not at all.  The two lowest
 * bits are the form; a first byte of 0 ends the data.  Heads have 32 bits, those of short records
 * (1 and 2) 16; lean records have a head of one byte, not 0, and are written by one store.
 */
#define FORMAT_FORM 3u /* mask: the two lowest bits */
#define FORMAT_LEAN 0u
#define FORMAT_OTHER 3u

/*
 * Short records: an access once more, from a site that has had an ACCESS record in this chunk.
 *
 *	bits 0-1   1 + the highest bit of the habit's seat     4-5  address: FORMAT_A_*
 *	     2-3   ref: FORMAT_R_*                             6-8  value: FORMAT_V_*
 *	     9-15  the rest of the seat
 */
#define FORMAT_HABITS 256   /* seats */
#define FORMAT_SHELVES 2048 /* since version 6: habits that are remembered, seated or not */
#define FORMAT_R_SHIFT 2
#define FORMAT_A_SHIFT 4
#define FORMAT_V_SHIFT 6
#define FORMAT_HABIT_SHIFT 9

enum format_short_ref {
	FORMAT_R_SAME, /* the version that the habit named last, by other than FORMAT_R_OWN */
	FORMAT_R_NEAR, /* a byte: the difference from it, and FORMAT_R_WINDOW / 2 */
	FORMAT_R_OWN,  /* the habit's last event: one half of a word was written, now the other */
	FORMAT_R_LONG, /* a byte: up to 8, so many bytes follow, a ref; else FORMAT_R_FIRST and the
			* difference from the version that the thread named last, and half a window */
};
#define FORMAT_R_WINDOW 256u
#define FORMAT_R_FIRST 9u
#define FORMAT_R_LAST_WINDOW (256u - FORMAT_R_FIRST)

enum format_short_address {
	FORMAT_A_SAME,	 /* the habit's last one */
	FORMAT_A_STRIDE, /* on by the last difference that was not 0; at first, by its size */
	FORMAT_A_NEAR,	 /* two bytes, zigzag */
	FORMAT_A_LONG, /* a byte: below FORMAT_A_FAR a hop; below FORMAT_A_LAST the number of bytes,
			  * zigzag; else the difference from the thread's last access, and half a window */
};
#define FORMAT_A_FAR 128u
#define FORMAT_A_LAST (FORMAT_A_FAR + 9u) /* since version 4 */
#define FORMAT_A_LAST_WINDOW (256u - FORMAT_A_LAST)

enum format_short_value {
	FORMAT_V_SAME,	/* the habit's last one */
	FORMAT_V_READ,	/* that of the thread's last read; not in reads */
	FORMAT_V_READ2, /* that of the one before it; not in reads */
	FORMAT_V_1,	/* bytes */
	FORMAT_V_2,
	FORMAT_V_4,
	FORMAT_V_ADDRESS, /* 8-byte accesses: four bytes, signed, from its own address */
	FORMAT_V_LONG,	  /* a byte: up to 8 the number of bytes; with FORMAT_V_TOP those are the
			   * highest; else, not in reads, from that of the thread's last read, and half a
			   * window */
};
#define FORMAT_V_STEP 9u /* since version 4 */
#define FORMAT_V_TOP 128u
#define FORMAT_V_STEP_WINDOW (FORMAT_V_TOP - FORMAT_V_STEP)

/*
 * What an access is: aux of ACCESS, and the low bits of the heads of READ and WRITE, the forms that
 * accesses have in files before version 3.
 */
#define FORMAT_READ 1u
#define FORMAT_WRITE 2u
#define FORMAT_UPDATE 3u	     /* since version 8: a read, and a write of the sum */
#define FORMAT_SIZE_SHIFT 2	     /* 2 bits: log2 of the size */
#define FORMAT_READ_FREE (1u << 4)   /* READ: free */
#define FORMAT_WRITE_FED (1u << 4)   /* WRITE: feed list follows */
#define FORMAT_READ_REREAD (1u << 5) /* READ: closes a run of dropped equal reads */
#define FORMAT_UPDATE_BY (1u << 4)   /* UPDATE: two bytes say what is added, else the habit does */
#define FORMAT_WRITE_FED1 (1u << 5)  /* WRITE: fed by this thread's previous event alone */
#define FORMAT_UPDATE_FED (1u << 5)  /* UPDATE: its write is, and its read is free */
#define FORMAT_ATOMIC (1u << 6)	     /* a byte with the memory order follows */
#define FORMAT_CROSS (1u << 7)	     /* touches two words: a second ref follows */

/* READ and WRITE heads, before version 3. */
#define FORMAT_VLEN_SHIFT 8 /* 3 bits each; ALEN, VLEN: format_length */
#define FORMAT_ALEN_SHIFT 11
#define FORMAT_RLEN_SHIFT 14 /* 0..7 bytes */
#define FORMAT_SITE_SHIFT 17 /* 15 bits: site within the current page */
#define FORMAT_SITE_BITS 15

/* Pointers.  ALEN: one byte, the address from FORMAT_HOP before the value of this
 * thread's last 8-byte READ.  VLEN: four bytes, the value from its own address. */
#define FORMAT_NEAR 6u

/* Bytes of an address or value, by its code. */
static inline unsigned format_length(unsigned code)
{
	return code <= 4 ? code : code + 1;
}

#define FORMAT_HOP 64u

/* Lean records, each as one number.  A REL is the seat alone; an ACQ has its address, then its ref,
 * in 6 bytes, or in 8. */
#define FORMAT_SHAPE_SHIFT 2 /* 6 bits: seat of the habit */
#define FORMAT_WIDE (1u << 8)
#define FORMAT_LEAN_SHIFT 9 /* address */
#define FORMAT_NARROW_ADDR 15
#define FORMAT_NARROW_REF 24
#define FORMAT_WIDE_ADDR 28
#define FORMAT_WIDE_REF 27

/* OTHER heads. */
#define FORMAT_KIND_SHIFT 2 /* 6 bits: enum format_kind, up to FORMAT_K_MORE */
#define FORMAT_AUX_SHIFT 8  /* 8 bits */
#define FORMAT_LEN_SHIFT 16 /* 16 bits: payload bytes */

/* Per-thread prediction tables, zero at the start of each chunk. */
#define FORMAT_PREDICT 256 /* last address by site & 255 */
#define FORMAT_PEERS 16	   /* threads recently named, by seat */
#define FORMAT_SHAPES 64   /* kind, aux and site of the last ACQ or REL, by format_shape */
#define FORMAT_HELD 8	   /* locks taken last, and not given back in the same order */

/* Versions, as tags and refs name them: thread and event number. */
#define FORMAT_TID_BITS 20
#define FORMAT_TSEQ_BITS 43

/*
 * Kinds of OTHER records, append only, for the numbers are on disk: X(id, event, payload, rest).
 *
 * event	what the record is (trace/events.def); NOPS: no event
 * payload	how it begins: the parts that recording/decode_record.c takes for all
 * rest	what is special of it: decode_plain, nothing, or a function of recording/decode_*.c
 *
 * A head has room for kinds below MORE.  A kind behind it has MORE in its head, and its payload
 * begins with a varint, format_kind_more.  Readers skip kinds that they do not know.
 */
#define FORMAT_KINDS(X)                                    \
	X(PAD, NOPS, 0, pad)                               \
	X(SEAT, NOPS, 0, seat)                             \
	X(PEER, NOPS, 0, peer)                             \
	X(STACK, NOPS, 0, stack)                           \
	X(TRAILING, NOPS, 0, trailing_skip)                \
	X(RMW, RMW, SITE | ADDR, rmw)                      \
	X(CASFAIL, READ, SITE | ADDR, casfail)             \
	X(RANGE_READ, READ, SITE, range_read)              \
	X(RANGE_WRITE, WRITE, SITE, range_write)           \
	X(FREE, FREE, SITE | ADDR, extent)                 \
	X(ALLOC, ALLOC, SITE | ADDR, extent)               \
	X(FENCE, FENCE, SITE | ORDER, plain)               \
	X(USE, USE, SITE, use)                             \
	X(OPAQUE, OPAQUE, SITE, opaque)                    \
	X(ACQ, ACQ, OBJECT | LOCK, plain)                  \
	X(REL, REL, OBJECT | LOCK, plain)                  \
	X(TRYFAIL, TRYFAIL, REMARK | LOCK, plain)          \
	X(RACQ, RACQ, OBJECT | LOCK, plain)                \
	X(RREL, RREL, OBJECT | LOCK, plain)                \
	X(LOCK_INIT, LOCK_INIT, OBJECT | LOCK, life)       \
	X(LOCK_DESTROY, LOCK_DESTROY, OBJECT | LOCK, life) \
	X(PARK, PARK, OBJECT | ARG | TIMED, plain)         \
	X(WAKE, WAKE, OBJECT, wake)                        \
	X(SIGNAL, SIGNAL, OBJECT | ARG, plain)             \
	X(BROADCAST, BROADCAST, OBJECT | ARG, plain)       \
	X(BAR_INIT, BAR_INIT, OBJECT | ARG, plain)         \
	X(BAR_IN, BAR_IN, OBJECT | ARG, plain)             \
	X(BAR_OUT, BAR_OUT, OBJECT | ARG | KIND, plain)    \
	X(SEM_INIT, SEM_INIT, OBJECT | ARG, plain)         \
	X(SEM_POST, SEM_POST, OBJECT, plain)               \
	X(SEM_WAIT, SEM_WAIT, OBJECT, plain)               \
	X(SEM_FAIL, SEM_FAIL, REMARK, sem_fail)            \
	X(ONCE_BEGIN, ONCE_BEGIN, OBJECT, plain)           \
	X(ONCE_END, ONCE_END, OBJECT, plain)               \
	X(ONCE_PASS, ONCE_PASS, OBJECT, plain)             \
	X(FORK, FORK, SITE | PEER | SYNC, plain)           \
	X(FORK_FAIL, FORK_FAIL, SITE | PEER | SYNC, plain) \
	X(JOIN, JOIN, SITE | SYNC | TIMED, wake)           \
	X(DETACH, DETACH, SITE | PEER | SYNC, plain)       \
	X(BEGIN, THREAD_BEGIN, SYNC, begin)                \
	X(END, THREAD_END, SYNC | CODE, plain)             \
	X(NAME, NOPS, 0, name)                             \
	X(USER, USER, SITE, user)                          \
	X(C_PROCESS, NOPS, 0, plain)                       \
	X(C_MODULE, NOPS, 0, plain)                        \
	X(C_STRING, NOPS, 0, plain)                        \
	X(C_SITE, NOPS, 0, plain)                          \
	X(C_GLOBAL, NOPS, 0, plain)                        \
	X(C_CUT, NOPS, 0, plain)                           \
	X(C_TROUBLE, NOPS, 0, plain)                       \
	X(C_END, NOPS, 0, plain)                           \
	X(NESTED, OPAQUE, SITE | UNNUMBERED, plain)        \
	X(GIVE, GIVE, OBJECT | KIND, plain)                \
	X(TAKE, TAKE, OBJECT | KIND, plain)                \
	X(CANCEL, CANCEL, SITE | PEER | SYNC, plain)       \
	X(REQ, REQ, OBJECT | LOCK, plain)                  \
	X(RREQ, RREQ, OBJECT | LOCK, plain)                \
	X(JOINING, JOINING, SITE | PEER | SYNC, joining)   \
	X(C_IMAGE, NOPS, 0, plain)                         \
	X(C_CODE, NOPS, 0, plain)                          \
	X(BLOCK, BEGIN, SITE | SYNC, block)                \
	X(C_NOTE, NOPS, 0, plain)                          \
	X(ACCESS, READ, SITE, whole)                       \
	X(MORE, NOPS, 0, plain)                            \
	X(C_STEADY, NOPS, 0, plain)                        \
	X(C_HIDDEN, NOPS, 0, plain)                        \
	X(C_START, NOPS, 0, plain)                         \
	X(INPUT, NOPS, 0, input)                           \
	X(C_UNSTEADY, NOPS, 0, plain)

enum format_kind {
#define X(id, event, payload, rest) FORMAT_K_##id,
	FORMAT_KINDS(X)
#undef X
		FORMAT_NKINDS
};

#define FORMAT_KIND_MASK 63u
_Static_assert(FORMAT_K_MORE == FORMAT_KIND_MASK, "the last kind that fits a head");

/* The form and kind of a head. */
static inline uint32_t format_kind_head(unsigned kind)
{
	return FORMAT_OTHER | (kind < FORMAT_K_MORE ? kind : FORMAT_K_MORE) << FORMAT_KIND_SHIFT;
}

/* Of a kind behind MORE. */
static inline unsigned format_kind_more(unsigned kind)
{
	return kind - FORMAT_K_MORE - 1;
}

/* aux of ACQ, REL, TRYFAIL, RACQ, RREL, REQ, RREQ, LOCK_INIT, LOCK_DESTROY: kind of lock, and
 * flags. */
#define FORMAT_LOCK_MUTEX 0u
#define FORMAT_LOCK_RWLOCK 1u
#define FORMAT_LOCK_SPIN 2u
#define FORMAT_LOCK_USER 3u
#define FORMAT_LOCK_COND 4u	  /* LOCK_INIT, LOCK_DESTROY, REQ only: of a condition, */
#define FORMAT_LOCK_BARRIER 5u	  /* LOCK_DESTROY only: of a barrier, */
#define FORMAT_LOCK_SEM 6u	  /* of a semaphore; also REQ */
#define FORMAT_LOCK_KIND 7u	  /* mask */
#define FORMAT_LOCK_TRY 8u	  /* by a try or timed call: could not block for ever */
#define FORMAT_LOCK_RECURSIVE 16u /* the lock nests */
#define FORMAT_LOCK_WAIT 32u	  /* released by / reacquired after a condition wait */
#define FORMAT_LOCK_DEAD 64u	  /* robust mutex acquired from a dead owner */
#define FORMAT_LOCK_REFUSED 128u  /* TRYFAIL: not because somebody has the lock */

/* aux of BAR_OUT: 0, not known. */
#define FORMAT_BAR_SERIAL 1u /* of all threads this one was told so */
#define FORMAT_BAR_OTHER 2u  /* it was not */

/* aux of SEM_FAIL. */
#define FORMAT_SEM_REFUSED 1u /* not because it is at zero */

/* aux of GIVE and TAKE: what kind of channel the object stands for. */
#define FORMAT_CHANNEL_USER 0u	 /* the program says so */
#define FORMAT_CHANNEL_FILE 1u	 /* a pipe, an eventfd, a file */
#define FORMAT_CHANNEL_SOCKET 2u /* all sockets together */
#define FORMAT_CHANNEL_SIGNAL 3u /* signals, by number */
#define FORMAT_CHANNEL_UNSEEN 4u /* code that was not instrumented and may synchronise */
#define FORMAT_CHANNEL_TURN 5u	 /* whose turn it was to read from a file or socket */

/* aux of OPAQUE: code that is known to write nothing of the program's; a pointer that it was given
 * follows, and a call that was given several says so as often. */
#define FORMAT_OPAQUE_READS 1u
#define FORMAT_OPAQUE_GIVEN 2u

/* aux of PAD: all runs of equal reads are closed, and later reads are logged anew; as at a
 * synchronisation, nothing that was dropped before is missing. */
#define FORMAT_PAD_SETTLED 1u

/* aux of NAME. */
#define FORMAT_NAME_THREAD 0u
/* Of STACK, first in a chunk: nobody has left these frames since the thread's last event before. */
#define FORMAT_STACK_STAYED 1u
#define FORMAT_NAME_STACK 1u /* not a name: lowest address and length of the thread's stack, root */

/* Of NAME_STACK: is the thread's root, below all frames, code that is not seen?  0: not known. */
#define FORMAT_ROOT_SEEN 1u
#define FORMAT_ROOT_UNSEEN 2u

/* aux of BLOCK: an atomic block of the program begins or ends. */
#define FORMAT_BLOCK_BEGIN 0u
#define FORMAT_BLOCK_END 1u

/* aux of USER. */
#define FORMAT_USER_EVENT 0u
#define FORMAT_USER_INTERNAL 1u /* foresee_internal: one value, signed */
#define FORMAT_USER_NAMES 2u	/* what lies at an address has this name: address, length */
#define FORMAT_USER_BENIGN 3u	/* races there are no errors, says the program: address, length */
#define FORMAT_USER_CALL 4u	/* a function is called: its first arguments */

/* aux of PARK, WAKE, JOIN and JOINING. */
#define FORMAT_WAIT_TIMED 1u
#define FORMAT_WAKE_TIMEOUT 2u	/* WAKE: it timed out */
#define FORMAT_WAKE_CANCEL 4u	/* WAKE: the thread was cancelled */
#define FORMAT_JOIN_UNENDED 8u	/* JOINING: no, the call is over; the thread had not ended */
#define FORMAT_JOIN_REFUSED 16u /* JOINING: no, the call was refused for another reason */

/* aux of ALLOC and FREE. */
#define FORMAT_ALLOC_HEAP 0u
#define FORMAT_ALLOC_MAP 1u
#define FORMAT_ALLOC_FRAME 2u	/* a local variable; replaces the versions it names */
#define FORMAT_ALLOC_KIND 3u	/* mask */
#define FORMAT_ALLOC_ZEROED 4u	/* calloc, anonymous mmap: bytes are zero */
#define FORMAT_ALLOC_BIG 8u	/* ordered by the big-block chain instead of by tags */
#define FORMAT_ALLOC_SHARED 16u /* a mapping that others may write to: a file, other processes */
#define FORMAT_ALLOC_STEADY 32u /* a mapping that this process cannot write to */

/* aux of RANGE_READ and RANGE_WRITE. */
#define FORMAT_RANGE_FREE 1u	/* RANGE_READ: free */
#define FORMAT_RANGE_FED 2u	/* RANGE_WRITE: feed list follows */
#define FORMAT_RANGE_NOVALUE 4u /* the bytes are not in the record */
#define FORMAT_RANGE_FILL 8u	/* RANGE_WRITE: one byte, repeated */
#define FORMAT_RANGE_COPY 16u	/* RANGE_WRITE: the bytes of the RANGE_READ just before it */
#define FORMAT_RANGE_ATOMIC 32u /* 16-byte atomic: a byte with the memory order follows the site */
#define FORMAT_RANGE_BEGUN \
	64u /* RANGE_WRITE: by a call that lasts until the thread's next record */
#define FORMAT_RANGE_WHOLE \
	128u /* RANGE_WRITE: a feed means the free RANGE_READs that follow it without a gap, too; since version 5 */

/* op byte of RMW: enum foresee_rmw_op, or a compare-and-swap that succeeded. */
#define FORMAT_RMW_CAS 255u

/* aux of INPUT: what was given to the program, of what differs in every run.  Below SECONDS, a clock of
 * clock_gettime: seconds, zigzag, and nanoseconds. */
#define FORMAT_INPUT_SECONDS 16u /* time: seconds, zigzag */
#define FORMAT_INPUT_CPU 17u	 /* clock: zigzag */
#define FORMAT_INPUT_RANDOM 18u	 /* bytes */

/* Of C_CODE, last: the place of a call.  Of --valgrind, where accesses there are those of the function. */
#define FORMAT_CODE_CALL 1u

/* aux of TRAILING. */
#define FORMAT_TRAILING_ATOMIC 1u /* relaxed */
#define FORMAT_TRAILING_NOVALUE 2u

/* aux of END. */
#define FORMAT_END_RETURN 0u
#define FORMAT_END_EXIT 1u /* pthread_exit */
#define FORMAT_END_CANCEL 2u
#define FORMAT_END_PROCESS 3u /* the process ended with this thread running */

/* Sum of the records of a closed chunk: four lanes over 64-bit words, the tail zero-padded. */
static inline uint64_t format_sum(const void *data, uint64_t n, uint64_t seed)
{
	const unsigned char *p = data;
	uint64_t lane[4] = { seed, 1, 2, 3 };
	uint64_t i = 0;

	for (; i + 32 <= n; i += 32) {
		for (int k = 0; k < 4; k++) {
			uint64_t w;

			__builtin_memcpy(&w, p + i + 8 * k, 8);
			lane[k] = (lane[k] << 5 | lane[k] >> 59) + w;
		}
	}
	for (int k = 0; i < n; k++, i += 8) {
		uint64_t w = 0;

		__builtin_memcpy(&w, p + i, n - i < 8 ? n - i : 8);
		lane[k] = (lane[k] << 5 | lane[k] >> 59) + w;
	}
	for (int k = 0; k < 4; k++)
		lane[k] *= 0x9e3779b97f4a7c15u;
	lane[0] ^= lane[1] >> 17;
	lane[2] ^= lane[3] >> 23;
	return (lane[0] * 31) ^ (lane[1] * 17) ^ (lane[2] * 7) ^ lane[3];
}

/* Sum over a chunk's head, head_sum itself taken as 0. */
static inline uint32_t format_head_sum(const struct format_chunk *c)
{
	struct format_chunk copy = *c;
	uint64_t s;

	copy.head_sum = 0;
	s = format_sum(&copy, sizeof(copy), 0x464f5245);
	return (uint32_t)(s ^ (s >> 32));
}

/* The seat of a lock's habit: never 0, which would be the end of the data. */
static inline unsigned format_shape(uint32_t site, unsigned acquires)
{
	unsigned seat = (site << 1 | acquires) % FORMAT_SHAPES;

	return seat + (seat == 0);
}

/* The shelf of the habit of such accesses at a site.  One site may do several kinds by turns: close a run
 * or be fed by the event before it, bind or not, touch two words, read alone or update. */
static inline unsigned format_shelf(uint32_t site, unsigned access)
{
	unsigned kind = (access & FORMAT_READ_REREAD) << 2 | (access & FORMAT_CROSS) >> 1 |
			(access & FORMAT_READ_FREE) << 1 |
			((access & FORMAT_FORM) == FORMAT_UPDATE) << 8;

	return (site ^ kind) % FORMAT_SHELVES;
}

/* The seat of before version 6, when there were no shelves. */
static inline unsigned format_seat_of_old(uint32_t site, unsigned access)
{
	return (site ^ (access & FORMAT_READ_REREAD) << 2) % FORMAT_HABITS;
}

/* The seat that it takes, in turn with others. */
static inline unsigned format_habit(uint32_t site, unsigned access)
{
	return format_shelf(site, access) % FORMAT_HABITS;
}

/* Reads of one word and version are left out of a recording only where another one at the same place is in it.
 * Places are told apart by these bits of their numbers, which are the same in every run of a program.  Before
 * version 7 the other one could be anywhere. */
#define FORMAT_PLACES 16u
#define FORMAT_PLACES_SINCE 7u

static inline uint16_t format_place_bit(uint32_t site)
{
	return (uint16_t)(1u << site % FORMAT_PLACES);
}

/* Words (aligned, 8 bytes) that [addr, addr + n) touches. */
static inline uint64_t format_words(uint64_t addr, uint64_t n)
{
	return n == 0 ? 0 : ((addr + n - 1) >> 3) - (addr >> 3) + 1;
}

static inline uint64_t format_zigzag(int64_t d)
{
	return ((uint64_t)d << 1) ^ (uint64_t)(d >> 63);
}

static inline int64_t format_unzigzag(uint64_t u)
{
	return (int64_t)(u >> 1) ^ -(int64_t)(u & 1);
}

#endif /* TRACE_FORMAT_H */
