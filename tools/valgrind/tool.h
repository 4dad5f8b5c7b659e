/*
 * The Valgrind tool: records a program that was not built for it.
 *
 *	instrument.c	what the translated code calls: loads, stores, atomics, calls and returns
 *	access.c	an access as an event: who wrote there last, which reads need no record
 *	stack.c		memory of a thread's own, which is left out while nobody else looks at it
 *	shadow.c	the version of each word, and who has read it
 *	shared.c	memory that changes under other addresses too, or by other processes
 *	record.c	records of events; moved.c, of loads and stores; range.c, of ranges
 *	log.c		chunks and the file
 *	site.c		places in code, and the images they lie in
 *	sync.c		what the preload library tells: locks, conditions, threads
 *	thread.c	threads
 *	heap.c		malloc and its family, mappings
 *	kernel.c	system calls: what they read and write; signals
 *	channel.c	what they order
 *	main.c		options, start and end
 *	preload.c	the wrappers, in the program
 *
 * Valgrind runs one thread at a time, and changes threads only between blocks of code.  So nothing
 * here is locked, the order of the log is the order of the run, and a record may be added to the log
 * of a thread that does not run.
 */
#ifndef VALGRIND_TOOL_H
#define VALGRIND_TOOL_H

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"

#include "trace/format.h"

#define LIKELY_(x) __builtin_expect(!!(x), 1)
#define UNLIKELY_(x) __builtin_expect(!!(x), 0)

typedef uint64_t version; /* tid << FORMAT_TSEQ_BITS | tseq; 0: INIT */

/* What was last at a site, for the next record there (src/capture/habit.h). */
struct habit {
	uint64_t shape;
	uint64_t addr, stride;
	version version, own;
	uint64_t value;
	uint32_t head;
	Bool varies; /* of updates, which this tool does not log as such */
	uint64_t added;
};

#define TCB 0x900u /* bytes of the C library's behind a thread's handle */

#define TAKEN 8u
#define WRAPPER 1024u /* bytes of stack, at most */
#define HANDLERS 16u  /* one inside the other */
#define FRAMES 1024u  /* deeper ones are not told apart */

struct frame {
	Addr sp;       /* when it has been returned from, the stack is above this */
	uint32_t site; /* of the call */
};

struct thread {
	uint32_t tid;
	uint64_t tseq;
	/* The chunk in the thread's slot of the file. */
	struct format_chunk *chunk;
	uint32_t slot;
	uint8_t *cursor, *limit;
	uint32_t nchunks;
	int64_t nextra;
	struct {
		uint32_t tid;
		uint64_t tseq;
	} peers[FORMAT_PEERS];
	uint64_t predict[FORMAT_PREDICT];
	struct habit *habits; /* [FORMAT_SHELVES], while it has a chunk */
	uint16_t seats[FORMAT_HABITS], learned[FORMAT_SHELVES];
	uint32_t nlearned;
	uint64_t last_read[2];
	version last_version;
	uint64_t last_addr;
	/* Reads that are dropped: the epoch, which has a number of its own, ends with each synchronisation. */
	uint64_t epoch;
	Addr *pending; /* words that have been read so */
	uint32_t npending, roompending;
	/* Its stack, with what the C library keeps above it: [low, floor) is nobody else's yet. */
	Addr low, high, floor;
	/* Calls it is in. */
	struct frame frames[FRAMES];
	uint32_t depth, low_depth, logged_depth;
	uint32_t stated; /* frames that the chunk has stated */
	/* In a function of the library that is told as a whole; and those that handlers have interrupted. */
	uint32_t hidden;
	Addr hidden_sp; /* of the wrapper; above it, that has been left */
	Addr object;	/* that it is about */
	SizeT object_len, parked_len;
	struct interrupted {
		uint32_t hidden;
		Addr hidden_sp, object;
		SizeT object_len;
	} interrupted[HANDLERS];
	uint32_t ninterrupted;
	Addr parked, parked_mutex; /* in a wait for a condition; 0 none */
	unsigned parked_aux;
	UWord once[16];
	uint32_t nonce;
	uint64_t free_read; /* its last one, */
	Addr free_addr;	    /* there; 0: it has fed its store */
	Bool fed;	    /* and has not been left in the condition codes yet */
	uint64_t flags_fed; /* the free read that the condition codes come from; 0 none */
	Addr handle;
	uint64_t end;	       /* number of its END */
	Addr cleared;	       /* the kernel writes 0 there when it ends; 0 nowhere */
	Addr child_cleared;    /* the same of the thread that it is making by itself */
	struct thread *child;  /* that it is making */
	struct thread *parent; /* that has made it, by its event number fork */
	uint64_t fork;
	UWord run, arg;	     /* what it runs */
	uint64_t generation; /* of the barrier it waits at */
	Bool begun, ended, joined, told, timed;
	Bool futex; /* its last system call was one */
	struct channel {
		Addr object, turn; /* 0: none */
		Addr room;	   /* of a pipe, or of sockets; 0: it is neither */
		Bool outer;	   /* another process may be at its other end */
	} through;		   /* of the call that it makes (channel.h) */
	struct taken {
		Addr object;
		version last;
	} taken[TAKEN]; /* what it has taken lately, by channel */
};

/* ---- options (main.c) ---- */
extern Bool opt_full;
extern const HChar *opt_trace, *opt_asked;
/* Is anything recorded?  Off before the file is there, in forked children, and after trouble. */
extern Bool recording;
/* Are accesses?  Not while there has been one thread only: nothing can be reordered there. */
extern Bool accesses_on;
void accesses_begin(void);

/* ---- thread.c ---- */
extern struct thread *self; /* the one that runs */
struct thread *thread_new(void);
struct thread *thread_of(ThreadId v); /* NULL: not known */
struct thread *thread_get(uint32_t tid);
uint32_t thread_count(void);
void thread_bind(ThreadId v, struct thread *t);
void thread_begin(struct thread *t, const struct thread *parent, uint64_t fork);
void thread_end(struct thread *t, unsigned how);
void threads_start(void);
void threads_finish(void);
Addr thread_sp(void);

/* ---- shadow.c ---- */
/*
 * What an access asks of a word lies in one line of the processor's cache.  The low bits of run: bytes that
 * have been read in the epoch, and seen this version, in an event; those of reads that were dropped since.
 */
struct cell {
	version at;
	uint64_t run; /* epoch << RUN_EPOCH | RUN_TOUCHED | dropped << RUN_DROPPED | kept */
};
#define RUN_BYTES 0xffu
#define RUN_DROPPED 8
#define RUN_TOUCHED (1u << 23) /* there is an event that did */
#define RUN_EPOCH 24
#define SHADOW_BITS 16
#define SHADOW_WORDS (1u << (SHADOW_BITS - 3))
#define SHADOW_PAGES (1u << (SHADOW_BITS - 12))
struct shadow {
	struct cell cells[SHADOW_WORDS];
	uint32_t site[SHADOW_WORDS]; /* of the first of the reads that were dropped */
	/* Bits, one for each word. */
	uint8_t atomic[SHADOW_WORDS / 8]; /* an atomic instruction has touched it */
	uint8_t object[SHADOW_WORDS / 8]; /* part of a lock or the like */
	Bool atomics;			  /* there may be such words */
	uint8_t page[SHADOW_PAGES];	  /* can it be written to?  enum shadow_page */
	uint16_t shared;		  /* bits, one for each page (shared.c) */
	/* The thread whose own memory lies here; 0 none; SHADOW_MANY several, or there are shared pages. */
	uint32_t owner;
};
#define SHADOW_MANY UINT32_MAX
enum shadow_page { PAGE_UNKNOWN, PAGE_WRITABLE, PAGE_STEADY };
#define SHADOW_CACHE 1024u
extern struct shadow_line {
	Addr key;
	struct shadow *at;
} shadow_cache[SHADOW_CACHE];
void shadow_start(void);
struct shadow *shadow_slow(Addr key);
static inline struct shadow *shadow_of(Addr a)
{
	Addr key = a >> SHADOW_BITS;
	struct shadow_line *l = &shadow_cache[key & (SHADOW_CACHE - 1)];

	return LIKELY_(l->key == key) ? l->at : shadow_slow(key);
}
static inline unsigned shadow_word(Addr a)
{
	return (a >> 3) & (SHADOW_WORDS - 1);
}
static inline Bool bit_get(const uint8_t *bits, unsigned w)
{
	return bits[w >> 3] >> (w & 7) & 1;
}
static inline void bit_set(uint8_t *bits, unsigned w)
{
	bits[w >> 3] |= (uint8_t)(1u << (w & 7));
}
/* The words of [a, a + n) are an object of the library's. */
void shadow_object(Addr a, SizeT n);
/* They are no object any more, and no atomic: another block may come there. */
void shadow_forget(Addr a, SizeT n);
/* Whether pages can be written to is to be found out anew.  kept: they may have been written to, so that what is read
 * there is to be recorded from now on. */
void shadow_pages(Addr a, SizeT n, Bool kept);
/* Which pages are shared is. */
void shadow_shared(Addr a, SizeT n);
/* Nobody can write to the page of a. */
Bool shadow_is_steady(struct shadow *s, Addr a);
static inline struct cell *cell_of(Addr a)
{
	return &shadow_of(a)->cells[shadow_word(a)];
}
static inline version *version_at(Addr a)
{
	return &cell_of(a)->at;
}

/* ---- shared.c ---- */
void shared_add(Addr a, SizeT n);
void shared_remove(Addr a, SizeT n);
Bool shared_has(Addr a);
void shared_tell(void);		 /* of all there are */
uint16_t shared_pages(Addr key); /* as shadow.shared */
/* t is about to store there, or has loaded. */
void shared_touch(struct thread *t, Bool store, Bool load);
static inline Bool shadow_is_shared(const struct shadow *s, Addr a)
{
	return UNLIKELY_(s->shared != 0) && (s->shared >> (a >> 12 & (SHADOW_PAGES - 1)) & 1);
}

/* ---- log.c ---- */
Bool log_start(const HChar *path);
void log_open(struct thread *t);
void log_close(struct thread *t, uint32_t flags); /* its last chunk */
void log_chunk(struct thread *t);		  /* another chunk */
static inline void log_room(struct thread *t, SizeT need)
{
	if (UNLIKELY_(t->cursor + need >= t->limit))
		log_chunk(t);
}
void log_control(unsigned kind, const void *payload, SizeT n);
void log_note(const HChar *text);
void log_trouble(const HChar *text);
void log_sees(void); /* the program calls what we wrap */
void log_became(Bool is);
void log_catches(int signal);
void log_finish(Int status);
void log_abandon(void);
struct format_file *log_head(void);

/* ---- record.c ---- */
static inline uint8_t *put_varint(uint8_t *p, uint64_t v)
{
	while (v >= 0x80) {
		*p++ = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	*p++ = (uint8_t)v;
	return p;
}
/* Room for a record of up to need bytes, and the stack as it is. */
__attribute__((noinline)) void record_catch_up(struct thread *t, SizeT need);
static inline void record_ready(struct thread *t, SizeT need)
{
	if (UNLIKELY_(t->cursor + need >= t->limit || t->depth != t->logged_depth ||
		      t->low_depth != t->logged_depth))
		record_catch_up(t, need);
}
/* A record of another form than an access: begin gives the place of its payload. */
uint8_t *record_begin(struct thread *t, SizeT need);
void record_end(struct thread *t, unsigned kind, unsigned aux, uint8_t *end, uint64_t events);
/* Before v is named: its thread must be known. */
void record_meet(struct thread *t, version v);
uint64_t record_ref(struct thread *t, version v, uint64_t own);
uint64_t record_delta(struct thread *t, uint32_t site, Addr a);
/* A load or store of up to 8 bytes.  second: the version of the second word, if it touches two. */
struct access {
	unsigned what; /* FORMAT_READ ... */
	uint8_t order; /* of an atomic one: as in C11 */
	uint32_t site;
	Addr addr;
	version first, second;
	uint64_t value;
	uint64_t feed; /* event number of the free read that feeds this write; 0 none */
};
void record_access(struct thread *t, const struct access *a);
/* The same of the most frequent ones: plain, of one word, and a store is fed by the event before it (fed), or by
 * none. */
void record_load(struct thread *t, uint32_t site, Addr a, unsigned log2, Bool is_free, version v,
		 uint64_t value);
void record_store(struct thread *t, uint32_t site, Addr a, unsigned log2, Bool fed, version v,
		  uint64_t value);
void record_rmw(struct thread *t, uint32_t site, Addr a, unsigned log2, version v, uint64_t old,
		uint64_t now);
void record_casfail(struct thread *t, uint32_t site, Addr a, unsigned log2, version v,
		    uint64_t old);
/* An operation on an object; replaces its version unless it is a remark. */
uint64_t record_sync(struct thread *t, uint32_t site, unsigned kind, unsigned aux, Addr object,
		     const uint64_t *args, unsigned nargs);
/* About a thread. */
uint64_t record_thread(struct thread *t, uint32_t site, unsigned kind, unsigned aux, uint64_t a,
		       uint64_t b, unsigned nargs);
/* Ranges: of any length, cut to pieces. */
void record_range(struct thread *t, uint32_t site, Bool write, Bool atomic, Addr a, SizeT n);
/* Memory that comes and goes: a stack that others may look at from now on; a block, BIG: in one event; a
 * block after the events that are named (FORMAT_PEERS of them, at their seats; 0 none). */
void record_frame(struct thread *t, uint32_t site, Addr a, SizeT n);
void record_free(struct thread *t, uint32_t site, unsigned aux, Addr a, SizeT n);
void record_alloc(struct thread *t, uint32_t site, unsigned aux, Addr a, SizeT n,
		  const version *after);
/* What has changed of the stack since the last record. */
void record_stack(struct thread *t);

/* ---- access.c ---- */
#define INFO_SIZE 15u	  /* log2 of the size */
#define INFO_FREE 16u	  /* a load that only feeds the store of the same instruction */
#define INFO_FED 32u	  /* that store */
#define INFO_HIDDEN 64u	  /* by the loader */
#define INFO_LIBRARY 128u /* by the C library: its own business, which is no race */
#define INFO_SITE_SHIFT 8
VG_REGPARM(2) void access_load(Addr a, UWord info); /* that is not free */
VG_REGPARM(2) void access_load_any(Addr a, UWord info);
VG_REGPARM(2) void access_store(Addr a, UWord info);
/* By functions that stand for what their caller does. */
VG_REGPARM(2) void access_load_for(Addr a, UWord info);
VG_REGPARM(2) void access_store_for(Addr a, UWord info);
VG_REGPARM(3) void access_load_wide(Addr a, UWord info, UWord n);
VG_REGPARM(3) void access_store_wide(Addr a, UWord info, UWord n);
void access_cas(Addr a, UWord info, UWord old, UWord expected);
void access_cas_wide(Addr a, UWord info, UWord same);
VG_REGPARM(1) void access_flags_used(UWord site);
/* The kernel looks at a futex, of 4 bytes. */
void access_kernel(Addr a, uint32_t site);
/* The first epoch of t begins. */
void access_begin(struct thread *t);
/* The epoch of t ends: its open runs are closed. */
void access_sync(struct thread *t);
/* Somebody is about to replace the version of this word. */
void access_replace(Addr word);

/* ---- stack.c ---- */
extern Addr own_low;   /* accesses of the running thread at [own_low, own_low + own_span) */
extern UWord own_span; /* are left out */
extern Addr store_low; /* the same of stores: those of the library's own are looked at */
extern UWord store_span;
void stack_switch(void);
/* From a on others may look at t's memory. */
void stack_expose(struct thread *t, Addr a, uint32_t site);
/* An access of the running thread at a: is it another thread's own memory? */
void stack_foreign(Addr a, uint32_t site);

/* ---- site.c ---- */
uint32_t site_of(Addr pc);     /* of an instruction */
uint32_t site_return(Addr pc); /* of a call, by its return address */
/* Who has called the wrapper that asks, and how many calls lie around that one. */
uint32_t site_caller(struct thread *t);
uint32_t site_depth(const struct thread *t);
uint32_t site_base(const struct thread *t); /* the first call that is worth telling */
/* Whose code it is. */
enum site_part { SITE_PROGRAM, SITE_LIBRARY, SITE_LOADER, SITE_STRINGS };
void site_strings(Addr from, Addr to);
enum site_part site_part(uint32_t site);
Bool site_is_loaders(Addr a); /* data of the loader's */
void site_forget(Addr a, SizeT n);
VG_REGPARM(2) void site_call(Addr sp, UWord site);
VG_REGPARM(1) void site_ret(Addr sp);

/* ---- sync.c ---- */
Bool sync_request(ThreadId tid, UWord *arg, UWord *ret);
/* The stack pointer is above that of the wrapper: has it been left by other means than a return?  By a
 * cancellation, or by a jump out of a handler. */
void sync_left(struct thread *t);
static inline void sync_look(struct thread *t, Addr sp)
{
	if (UNLIKELY_(t->hidden_sp != 0) && sp > t->hidden_sp + WRAPPER)
		sync_left(t);
}

/* ---- heap.c, kernel.c, instrument.c ---- */
void heap_start(void);
void heap_tell(void); /* of all blocks there are */
void heap_tell_shared(Addr a, SizeT n);
extern Bool heap_maps_shared; /* what is going to be mapped is for all to see */
void heap_over(struct thread *t);
void kernel_start(void);
struct _IRSB;

#endif /* VALGRIND_TOOL_H */
