/*
 * The file: slots that are mapped, one for each thread that runs and one for the control stream, and
 * closed chunks behind them (doc/TRACE_FORMAT.md, section 2).
 *
 * A slot is memory of the file, so a program that is killed, Valgrind with it, leaves its last
 * records there.
 */
#include "capture/habit.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

#define SLOTS 16u /* in an extent */
#define EXTENTS 4096u
#define CUT_BYTES (4u << 20) /* closed between two cuts */
#define SLOT_PAGE 4096u
#define MARGIN 512u /* a small record and what comes before it */

/* Of the core: moves a descriptor out of the program's way. */
extern Int VG_(safe_fd)(Int oldfd);

static struct {
	Int fd;
	uint64_t size; /* of the file */
	struct format_file *head;
	uint8_t *slots[EXTENTS]; /* where each extent's slots are mapped */
	uint32_t nextents;
	uint32_t free[EXTENTS * SLOTS];
	uint32_t nfree;
	struct thread *control;
	uint64_t closed, cuts;
} file = { .fd = -1 };

/* ---- system calls that the core keeps to itself ---- */

static Word call6(Word n, Word a, Word b, Word c, Word d, Word e, Word f)
{
	register Word r10 __asm__("r10") = d;
	register Word r8 __asm__("r8") = e;
	register Word r9 __asm__("r9") = f;
	Word r;

	__asm__ volatile("syscall"
			 : "=a"(r)
			 : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return r;
}

/* Part of the file as memory.  The core thinks of it as memory of its own. */
static void *map_file(uint64_t offset, SizeT n)
{
	void *at = VG_(am_shadow_alloc)(n);

	if (at == NULL || call6(__NR_mmap, (Word)at, (Word)n, VKI_PROT_READ | VKI_PROT_WRITE,
				VKI_MAP_SHARED | VKI_MAP_FIXED, file.fd, (Word)offset) != (Word)at)
		return NULL;
	return at;
}

static Bool write_at(uint64_t offset, const void *p, SizeT n)
{
	const uint8_t *at = p;

	while (n > 0) {
		Word k = call6(__NR_pwrite64, file.fd, (Word)at, (Word)n, (Word)offset, 0, 0);

		if (k <= 0)
			return False;
		at += k;
		offset += (uint64_t)k;
		n -= (SizeT)k;
	}
	return True;
}

/* Blocks are taken from the disk now: a mapped page that cannot be written kills the process. */
static Bool grow(uint64_t size)
{
	if (call6(__NR_fallocate, file.fd, 0, (Word)file.size, (Word)(size - file.size), 0, 0) !=
		    0 &&
	    call6(__NR_ftruncate, file.fd, (Word)size, 0, 0, 0, 0) != 0)
		return False;
	file.size = size;
	return True;
}

/* ---- slots ---- */

static Bool extent_add(void)
{
	uint64_t at = (file.size + SLOT_PAGE - 1) & ~(uint64_t)(SLOT_PAGE - 1);
	uint64_t pad = at - file.size;
	struct format_slots s = { .magic = FORMAT_SLOTS,
				  .count = SLOTS,
				  .size = FORMAT_SLOT_SIZE,
				  .first = SLOT_PAGE,
				  .length = SLOT_PAGE + (uint64_t)SLOTS * FORMAT_SLOT_SIZE };
	uint64_t from = file.size;

	/* The head comes right behind what is there; its slots begin at a page. */
	if (pad < sizeof(s))
		pad += SLOT_PAGE;
	s.first = (uint32_t)pad;
	s.length = pad + (uint64_t)SLOTS * FORMAT_SLOT_SIZE;
	if (file.nextents == EXTENTS || !grow(from + s.length) || !write_at(from, &s, sizeof(s)))
		return False;
	file.slots[file.nextents] = map_file(from + pad, (SizeT)SLOTS * FORMAT_SLOT_SIZE);
	if (file.slots[file.nextents] == NULL)
		return False;
	for (uint32_t i = SLOTS; i-- > 0;)
		file.free[file.nfree++] = file.nextents * SLOTS + i;
	file.nextents++;
	return True;
}

static struct format_chunk *slot_at(uint32_t slot)
{
	return (struct format_chunk *)(file.slots[slot / SLOTS] +
				       (SizeT)(slot % SLOTS) * FORMAT_SLOT_SIZE);
}

/* ---- chunks ---- */

static void chunk_begin(struct thread *t)
{
	struct format_chunk *c = t->chunk;
	struct vki_timespec now;

	c->magic = 0;
	VG_(memset)(c + 1, 0, FORMAT_SLOT_SIZE - sizeof(*c));
	VG_(clock_gettime)(&now, VKI_CLOCK_MONOTONIC);
	*c = (struct format_chunk){ .tid = t->tid,
				    .number = t->nchunks,
				    .first_tseq = t->tseq + 1,
				    .start_ns = (uint64_t)now.tv_sec * 1000000000u +
						(uint64_t)now.tv_nsec };
	c->magic = FORMAT_CHUNK;
	t->cursor = (uint8_t *)(c + 1);
	t->limit = (uint8_t *)c + FORMAT_SLOT_SIZE - MARGIN;
	VG_(memset)(t->peers, 0, sizeof(t->peers));
	VG_(memset)(t->predict, 0, sizeof(t->predict));
	habit_forget(t);
	t->last_read[0] = t->last_read[1] = 0;
	t->last_version = 0;
	t->last_addr = 0;
	t->nextra = 0;
	t->logged_depth = t->low_depth = t->stated = 0;
}

/* Copies the chunk to the end of the file. */
static Bool chunk_close(struct thread *t, uint32_t flags)
{
	static const uint8_t zeros[FORMAT_ALIGN];
	struct format_chunk *c = t->chunk;
	uint64_t n, at = file.size, pad;

	c->used = (uint32_t)(t->cursor - (uint8_t *)(c + 1));
	c->nevents = t->tseq + 1 - c->first_tseq;
	c->nitems = (uint32_t)((int64_t)c->nevents + t->nextra);
	c->sum = format_sum(c + 1, c->used, c->number);
	c->flags = FORMAT_CHUNK_CLOSED | flags;
	c->head_sum = format_head_sum(c);
	t->nchunks++;
	n = sizeof(*c) + c->used;
	pad = (FORMAT_ALIGN - n % FORMAT_ALIGN) % FORMAT_ALIGN;
	file.closed += n;
	if (!write_at(at, c, n) || (pad != 0 && !write_at(at + n, zeros, pad)))
		return False;
	file.size = at + n + pad;
	return True;
}

/* How far every thread has come.  All of them stand between two records. */
static void cut_make(void)
{
	uint32_t n = thread_count(), before = 0, told = 0;
	uint8_t *buffer = VG_(malloc)("foresee.cut", 32 + (SizeT)n * 15), *p;

	file.closed = 0;
	file.cuts++;
	for (uint32_t i = 1; i <= n; i++)
		told += !thread_get(i)->told;
	p = put_varint(put_varint(buffer, file.cuts), told);
	for (uint32_t i = 1; i <= n; i++) {
		struct thread *t = thread_get(i);

		if (t->told)
			continue;
		p = put_varint(put_varint(p, i - before), t->tseq);
		before = i;
		t->told = t->ended;
	}
	log_control(FORMAT_K_C_CUT, buffer, (SizeT)(p - buffer));
	VG_(free)(buffer);
}

static void stop(const HChar *why)
{
	if (!recording)
		return;
	log_control(FORMAT_K_C_TROUBLE, why, VG_(strlen)(why));
	recording = False;
	accesses_on = False;
}

void log_trouble(const HChar *text)
{
	stop(text);
}

void log_open(struct thread *t)
{
	if (file.nfree == 0 && !extent_add()) {
		stop("cannot get room for another thread");
		return;
	}
	t->slot = file.free[--file.nfree];
	t->chunk = slot_at(t->slot);
	t->habits = VG_(calloc)("foresee.habits", FORMAT_SHELVES, sizeof(*t->habits));
	chunk_begin(t);
}

static void chunk_next(struct thread *t, uint32_t flags)
{
	if (!chunk_close(t, flags)) {
		stop("cannot write to the trace");
		t->cursor = (uint8_t *)(t->chunk + 1);
		return;
	}
	chunk_begin(t);
}

void log_close(struct thread *t, uint32_t flags)
{
	if (t->chunk == NULL || !recording)
		return;
	if (!chunk_close(t, flags))
		stop("cannot write to the trace");
	t->chunk->magic = 0;
	t->chunk = NULL;
	VG_(free)(t->habits);
	t->habits = NULL;
	file.free[file.nfree++] = t->slot;
}

void log_chunk(struct thread *t)
{
	chunk_next(t, 0);
	if (file.closed >= CUT_BYTES)
		cut_make();
}

/* ---- the control stream ---- */

void log_control(unsigned kind, const void *payload, SizeT n)
{
	struct thread *t = file.control;
	uint8_t more[16], *end = more;
	uint32_t head;

	if (!recording || t == NULL || t->chunk == NULL || n > 60000)
		return;
	if (kind > FORMAT_K_MORE)
		end = put_varint(more, format_kind_more(kind));
	if (t->cursor + n + 64 > t->limit)
		chunk_next(t, 0);
	VG_(memcpy)(t->cursor + 4, more, (SizeT)(end - more));
	VG_(memcpy)(t->cursor + 4 + (end - more), payload, n);
	n += (SizeT)(end - more);
	head = format_kind_head(kind) | (uint32_t)n << FORMAT_LEN_SHIFT;
	VG_(memcpy)(t->cursor, &head, 4);
	t->cursor += 4 + n;
}

void log_note(const HChar *text)
{
	log_control(FORMAT_K_C_NOTE, text, VG_(strlen)(text));
}

void log_sees(void)
{
	if (recording)
		file.head->flags &= ~FORMAT_BLIND;
}

void log_became(Bool is)
{
	if (!recording)
		return;
	if (is)
		file.head->ended |= FORMAT_ENDED_BECAME;
	else
		file.head->ended &= (uint8_t)~FORMAT_ENDED_BECAME;
}

void log_catches(int signal)
{
	if (recording)
		file.head->caught |= (uint64_t)1 << (signal - 1);
}

/* ---- start and end ---- */

Bool log_start(const HChar *path)
{
	struct format_file head = { .version = FORMAT_VERSION,
				    .header_size = sizeof(head),
				    .flags = (opt_full ? FORMAT_FULL : 0) | FORMAT_CODE |
					     FORMAT_BLIND,
				    .pid = (uint32_t)VG_(getpid)() };
	struct vki_timespec now;
	SysRes r = VG_(open)(path, VKI_O_RDWR | VKI_O_CREAT | VKI_O_TRUNC, 0666);

	if (sr_isError(r))
		return False;
	file.fd = VG_(safe_fd)((Int)sr_Res(r));
	VG_(memcpy)(head.magic, FORMAT_MAGIC, sizeof(head.magic));
	VG_(clock_gettime)(&now, VKI_CLOCK_REALTIME);
	head.start_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	if (!grow(sizeof(head)) || !write_at(0, &head, sizeof(head)) || !extent_add())
		return False;
	file.head = map_file(0, SLOT_PAGE);
	if (file.head == NULL)
		return False;
	recording = True;
	file.control = VG_(calloc)("foresee.control", 1, sizeof(*file.control));
	log_open(file.control);
	return recording;
}

void log_finish(Int status)
{
	uint8_t buffer[16], *end = put_varint(buffer, (uint32_t)status);

	log_control(FORMAT_K_C_END, buffer, (SizeT)(end - buffer));
	log_close(file.control, FORMAT_CHUNK_LAST);
	recording = accesses_on = False;
}

/* In a forked child, which must leave the file alone. */
void log_abandon(void)
{
	recording = accesses_on = False;
	if (file.fd >= 0)
		VG_(close)(file.fd);
	file.fd = -1;
}
