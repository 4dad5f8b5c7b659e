/*
 * Places in code: an address in an image, which is the program or a library.  Names are looked up
 * when the trace is read (src/names/images.h).  Which calls a thread is in is kept as the code calls and
 * returns.
 */
#include "tool.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_libcfile.h"

#define IMAGES 1024u
#define SITE_MOST (1u << 22)
#define BUILD_ID 64u

struct place {
	struct place *next;
	UWord key; /* the address, as a call's return address would be */
	uint32_t site;
};

static VgHashTable *places;
static uint32_t nsites;
static uint8_t parts[SITE_MOST]; /* [site]: enum site_part */
static Addr strings_from, strings_to;

void site_strings(Addr from, Addr to)
{
	strings_from = from;
	strings_to = to;
}

static struct image {
	Addr low, high, bias;
	uint32_t number; /* 0: gone */
	uint8_t part;
} images[IMAGES];
static uint32_t nimages, numbers;

/* ---- images ---- */

struct elf_head {
	uint8_t ident[16];
	uint16_t type, machine;
	uint32_t version;
	uint64_t entry, phoff, shoff;
	uint32_t flags;
	uint16_t ehsize, phentsize, phnum;
};

struct elf_phdr {
	uint32_t type, flags;
	uint64_t offset, vaddr, paddr, filesz, memsz, align;
};

#define PT_NOTE_ 4u
#define NT_BUILD_ID 3u

static SizeT note_build_id(const uint8_t *p, SizeT n, uint8_t *id)
{
	while (n >= 12) {
		const uint32_t *h = (const uint32_t *)p;
		SizeT name = (h[0] + 3u) & ~(SizeT)3, desc = (h[1] + 3u) & ~(SizeT)3;

		if (name > n - 12 || desc > n - 12 - name)
			break;
		if (h[2] == NT_BUILD_ID && h[0] == 4 && h[1] <= BUILD_ID) {
			VG_(memcpy)(id, p + 12 + name, h[1]);
			return h[1];
		}
		p += 12 + name + desc;
		n -= 12 + name + desc;
	}
	return 0;
}

/* From the program headers, which lie at the start of the image. */
static SizeT build_id(const struct image *m, uint8_t *id)
{
	const struct elf_head *h = (const struct elf_head *)m->low;
	SizeT n = 0;

	if (!VG_(am_is_valid_for_client)(m->low, sizeof(*h), VKI_PROT_READ) ||
	    VG_(memcmp)(h->ident, "\177ELF", 4) != 0 ||
	    !VG_(am_is_valid_for_client)(m->low + h->phoff, h->phnum * sizeof(struct elf_phdr),
					 VKI_PROT_READ))
		return 0;
	for (unsigned i = 0; i < h->phnum && n == 0; i++) {
		const struct elf_phdr *p = (const struct elf_phdr *)(m->low + h->phoff) + i;
		Addr at = m->bias + p->vaddr;

		if (p->type == PT_NOTE_ && VG_(am_is_valid_for_client)(at, p->memsz, VKI_PROT_READ))
			n = note_build_id((const uint8_t *)at, p->memsz, id);
	}
	return n;
}

/* All that is mapped of the file, and what comes behind it without one. */
static void bounds(struct image *m, const DebugInfo *di)
{
	static Addr starts[8192];
	Int n = VG_(am_get_segment_starts)(SkFileC, starts, 8192);
	const HChar *path = VG_(DebugInfo_get_filename)(di);
	Addr bss = VG_(DebugInfo_get_bss_avma)(di), end = bss + VG_(DebugInfo_get_bss_size)(di);

	m->low = VG_(DebugInfo_get_text_avma)(di);
	m->high = m->low + VG_(DebugInfo_get_text_size)(di);
	for (Int i = 0; i < n; i++) {
		const NSegment *s = VG_(am_find_nsegment)(starts[i]);
		const HChar *name = s != NULL ? VG_(am_get_filename)(s) : NULL;

		if (name == NULL || VG_(strcmp)(name, path) != 0)
			continue;
		m->low = s->start < m->low ? s->start : m->low;
		m->high = s->end + 1 > m->high ? s->end + 1 : m->high;
	}
	if (bss != 0 && end > m->high)
		m->high = end;
}

static uint8_t part_of(const HChar *path)
{
	const HChar *name = VG_(strrchr)(path, '/');

	name = name != NULL ? name + 1 : path;
	return VG_(strncmp)(name, "ld-linux", 8) == 0 || VG_(strncmp)(name, "vgpreload_", 10) == 0
		       ? SITE_LOADER
	       : VG_(strncmp)(name, "libc.so", 7) == 0 || VG_(strncmp)(name, "libc-2", 6) == 0 ||
			       VG_(strncmp)(name, "libpthread", 10) == 0
		       ? SITE_LIBRARY
		       : SITE_PROGRAM;
}

static uint32_t image_add(const DebugInfo *di)
{
	static uint8_t buffer[8192];
	struct image m = { .bias = (Addr)VG_(DebugInfo_get_text_bias)(di), .number = ++numbers };
	const HChar *path = VG_(DebugInfo_get_filename)(di);
	uint8_t id[BUILD_ID], *p;
	SizeT n, name = VG_(strlen)(path);

	bounds(&m, di);
	m.part = part_of(path);
	n = build_id(&m, id);
	p = put_varint(put_varint(buffer, m.number), m.bias);
	p = put_varint(put_varint(put_varint(p, m.low), m.high), n);
	VG_(memcpy)(p, id, n);
	if (name > 4096)
		name = 4096;
	VG_(memcpy)(p + n, path, name);
	log_control(FORMAT_K_C_IMAGE, buffer, (SizeT)(p + n + name - buffer));
	if (nimages < IMAGES)
		images[nimages++] = m;
	return m.number;
}

/* The image around pc; 0: none. */
static const struct image *image_find(Addr pc)
{
	const DebugInfo *di;

	for (uint32_t i = 0; i < nimages; i++)
		if (images[i].number != 0 && pc >= images[i].low && pc < images[i].high)
			return &images[i];
	di = VG_(find_DebugInfo)(VG_(current_DiEpoch)(), pc);
	if (di == NULL || nimages == IMAGES)
		return NULL;
	image_add(di);
	return &images[nimages - 1];
}

Bool site_is_loaders(Addr a)
{
	for (uint32_t i = 0; i < nimages; i++)
		if (images[i].part == SITE_LOADER && images[i].number != 0 && a >= images[i].low &&
		    a < images[i].high)
			return True;
	return False;
}

/* ---- sites ---- */

/* pc: behind a call, or one more than an instruction's; no call is as short as that. */
static uint32_t place_of(Addr pc, Bool call)
{
	struct place *p;
	const struct image *m;
	uint8_t buffer[32], *end;

	if (places == NULL)
		places = VG_(HT_construct)("foresee.places");
	p = VG_(HT_lookup)(places, pc);
	if (p != NULL)
		return p->site;
	if (nsites + 1 == SITE_MOST)
		return 0;
	m = image_find(pc - 1);
	p = VG_(malloc)("foresee.place", sizeof(*p));
	p->key = pc;
	p->site = ++nsites;
	VG_(HT_add_node)(places, p);
	parts[p->site] = pc - 1 - strings_from < strings_to - strings_from ? SITE_STRINGS
			 : m != NULL					   ? m->part
									   : SITE_PROGRAM;
	end = put_varint(put_varint(buffer, p->site), m != NULL ? m->number : 0);
	end = put_varint(put_varint(end, m != NULL ? pc - m->bias : pc),
			 call ? FORMAT_CODE_CALL : 0);
	log_control(FORMAT_K_C_CODE, buffer, (SizeT)(end - buffer));
	return p->site;
}

uint32_t site_return(Addr pc)
{
	return place_of(pc, True);
}

uint32_t site_of(Addr pc)
{
	return place_of(pc + 1, False);
}

/* What was loaded there is gone. */
void site_forget(Addr a, SizeT n)
{
	Bool hit = False;
	struct place *p;

	for (uint32_t i = 0; i < nimages; i++)
		if (images[i].number != 0 && a < images[i].high && a + n > images[i].low) {
			images[i].number = 0;
			hit = True;
		}
	if (!hit || places == NULL)
		return;
	do { /* the table cannot be changed while it is walked */
		VG_(HT_ResetIter)(places);
		while ((p = VG_(HT_Next)(places)) != NULL)
			if (p->key - 1 - a < n)
				break;
		if (p != NULL)
			VG_(free)(VG_(HT_remove)(places, p->key));
	} while (p != NULL);
}

/* ---- calls ---- */

VG_REGPARM(2) void site_call(Addr sp, UWord site)
{
	struct thread *t = self;

	if (t == NULL)
		return;
	sync_look(t, sp);
	while (t->depth > 0 && t->frames[(t->depth - 1) % FRAMES].sp <= sp)
		t->depth--;
	if (t->depth < t->low_depth)
		t->low_depth = t->depth;
	t->frames[t->depth % FRAMES] = (struct frame){ sp, (uint32_t)site };
	t->depth++;
}

VG_REGPARM(1) void site_ret(Addr sp)
{
	struct thread *t = self;

	if (t == NULL)
		return;
	sync_look(t, sp);
	while (t->depth > 0 && t->frames[(t->depth - 1) % FRAMES].sp < sp)
		t->depth--;
	if (t->depth < t->low_depth)
		t->low_depth = t->depth;
}

enum site_part site_part(uint32_t site)
{
	return parts[site];
}

static Bool is_inside(const struct thread *t, uint32_t i)
{
	return parts[t->frames[i % FRAMES].site] != SITE_PROGRAM;
}

/* The wrapper is the innermost function.  Functions of the C library that are made of others are
 * no places. */
uint32_t site_caller(struct thread *t)
{
	uint32_t i = t->depth;

	while (i > 1 && is_inside(t, i - 1))
		i--;
	return i > 0 ? t->frames[(i - 1) % FRAMES].site : 0;
}

uint32_t site_depth(const struct thread *t)
{
	uint32_t i = t->depth;

	while (i > 1 && is_inside(t, i - 1))
		i--;
	return i > 0 ? i - 1 : 0;
}

/* What is below main, and below a thread's routine, says nothing. */
uint32_t site_base(const struct thread *t)
{
	uint32_t i = t->tid == 1;

	while (i < t->depth && i < FRAMES && is_inside(t, i))
		i++;
	return i < t->depth ? i : t->depth;
}
