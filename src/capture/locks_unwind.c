/*
 * The tables (Linux Standard Base, "Exception Frames"; DWARF 5, section 6.4):
 *
 *	.eh_frame_hdr   sorted pairs (function, its FDE), all relative to the header
 *	FDE             code range, its CIE, instructions
 *	CIE             alignment factors, encodings, instructions that all its FDEs start with
 *
 * Instructions build the rows one after the other; the last row that begins at or before the
 * address is the one.  Whatever is rare on this machine, or does not fit the image, ends the stack
 * there: a shorter stack is the worst that can come of it.  tests/unit/test_locks_unwind.c holds
 * this to the unwinder of the compiler's runtime.
 */
#include "capture/locks_unwind.h"

#define REG_BP 6u
#define REG_SP 7u
#define REG_RA 16u
#define REMEMBERED 8

/* Encodings of pointers: low half format, high half what it is relative to. */
#define ENC_ABS 0x00u
#define ENC_UDATA2 0x02u
#define ENC_UDATA4 0x03u
#define ENC_UDATA8 0x04u
#define ENC_SDATA2 0x0au
#define ENC_SDATA4 0x0bu
#define ENC_SDATA8 0x0cu
#define ENC_PCREL 0x10u
#define ENC_DATAREL 0x30u

#define HDR_ENCODINGS 0x3b031b01u /* version and encodings, as every linker writes them */

/* Where a register of the caller is. */
enum where { SAME, AT_CFA, UNDEFINED, ELSEWHERE };

struct saved {
	enum where where;
	int64_t offset;
};

struct row {
	uint64_t base;	/* register number; UINT64_MAX: an expression */
	int64_t offset; /* of the CFA */
	struct saved bp, ra;
};

struct cursor {
	const uint8_t *at, *end;
	bool bad;
};

struct table {
	const uint8_t *low, *high; /* of the image */
	const uint8_t *header;
	uint64_t code_factor;
	int64_t data_factor;
	unsigned encoding; /* of addresses in FDEs */
	bool augmented, is_signal;
	struct row first; /* after the CIE's instructions */
};

/* ---- bytes ---- */

static uint64_t take(struct cursor *c, unsigned n)
{
	uint64_t v = 0;

	if (c->bad || (size_t)(c->end - c->at) < n) {
		c->bad = true;
		return 0;
	}
	memcpy(&v, c->at, n);
	c->at += n;
	return v;
}

/* A number in base 128.  is_signed: the sign is the second bit of its last byte. */
static uint64_t leb(struct cursor *c, bool is_signed)
{
	uint64_t v = 0, byte;
	unsigned shift = 0;

	do {
		byte = take(c, 1);
		if (shift < 64)
			v |= (byte & 0x7f) << shift;
		shift += 7;
	} while ((byte & 0x80) && !c->bad);
	if (is_signed && shift < 64 && (byte & 0x40))
		v |= ~0ull << shift;
	return v;
}

static uint64_t uleb(struct cursor *c)
{
	return leb(c, false);
}

static int64_t sleb(struct cursor *c)
{
	return (int64_t)leb(c, true);
}

static void skip(struct cursor *c, uint64_t n)
{
	if (c->bad || n > (uint64_t)(c->end - c->at))
		c->bad = true;
	else
		c->at += n;
}

/* Bytes of an address, by the low half of its encoding; negative: with a sign.  0: not known. */
static const int address_bytes[16] = {
	[ENC_ABS] = 8,	   [ENC_UDATA2] = 2,  [ENC_UDATA4] = 4, [ENC_UDATA8] = 8,
	[ENC_SDATA2] = -2, [ENC_SDATA4] = -4, [ENC_SDATA8] = 8,
};

static uint64_t address(struct cursor *c, unsigned encoding, const struct table *t)
{
	unsigned relative = encoding & 0xf0;
	int bytes = address_bytes[encoding & 0x0f];
	uintptr_t here = (uintptr_t)c->at;
	uint64_t v = take(c, (unsigned)abs(bytes));

	if (bytes < 0)
		v = (uint64_t)((int64_t)(v << (64 + 8 * bytes)) >> (64 + 8 * bytes));
	c->bad |= bytes == 0 ||
		  (relative != ENC_ABS && relative != ENC_PCREL && relative != ENC_DATAREL);
	return c->bad		       ? 0
	       : relative == ENC_PCREL ? v + here
	       : relative == ENC_ABS   ? v
				       : v + (uintptr_t)t->header;
}

/* ---- rows ---- */

static void set(struct row *r, uint64_t reg, struct saved saved)
{
	if (reg == REG_BP)
		r->bp = saved;
	else if (reg == REG_RA)
		r->ra = saved;
}

static void restore(const struct table *t, struct row *r, uint64_t reg)
{
	set(r, reg, reg == REG_BP ? t->first.bp : t->first.ra);
}

/*
 * Instructions without an operand in their first byte, but for the location.  Operands: r a register,
 * u a number, f one in units of the data factor, s such a one with a sign, x an expression.
 */
static const struct {
	const char *operands; /* NULL: not known */
	enum { NOTHING, SET, RESTORE, CFA } effect;
	enum where where; /* SET */
} instructions[64] = {
	[0x00] = { "", NOTHING, 0 },	   /* nop */
	[0x05] = { "rf", SET, AT_CFA },	   /* offset_extended */
	[0x06] = { "r", RESTORE, 0 },	   /* restore_extended */
	[0x07] = { "r", SET, UNDEFINED },  /* undefined */
	[0x08] = { "r", SET, SAME },	   /* same_value */
	[0x09] = { "ru", SET, ELSEWHERE }, /* register */
	[0x0c] = { "ru", CFA, 0 },	   /* def_cfa */
	[0x0d] = { "r", CFA, 0 },	   /* def_cfa_register */
	[0x0e] = { "u", CFA, 0 },	   /* def_cfa_offset */
	[0x0f] = { "x", CFA, 0 },	   /* def_cfa_expression */
	[0x10] = { "rx", SET, ELSEWHERE }, /* expression */
	[0x11] = { "rs", SET, AT_CFA },	   /* offset_extended_sf */
	[0x12] = { "rs", CFA, 0 },	   /* def_cfa_sf */
	[0x13] = { "s", CFA, 0 },	   /* def_cfa_offset_sf */
	[0x14] = { "ru", SET, ELSEWHERE }, /* val_offset */
	[0x15] = { "ru", SET, ELSEWHERE }, /* val_offset_sf */
	[0x16] = { "rx", SET, ELSEWHERE }, /* val_expression */
	[0x2e] = { "u", NOTHING, 0 },	   /* GNU_args_size */
};

static void step(const struct table *t, struct cursor *c, unsigned op, struct row *r)
{
	const char *operands = instructions[op].operands;
	uint64_t reg = r->base;
	int64_t offset = r->offset;

	for (const char *o = operands; o != NULL && *o != '\0'; o++) {
		if (*o == 'r')
			reg = uleb(c);
		else if (*o == 'x')
			skip(c, uleb(c));
		else
			offset = *o == 's' ? sleb(c) : (int64_t)uleb(c);
		if (*o == 's' || *o == 'f')
			offset *= t->data_factor;
	}
	c->bad |= operands == NULL;
	if (instructions[op].effect == RESTORE)
		restore(t, r, reg);
	if (instructions[op].effect == SET)
		set(r, reg, (struct saved){ instructions[op].where, offset });
	if (instructions[op].effect == CFA) {
		r->base = *operands == 'x' ? UINT64_MAX : reg;
		r->offset = offset;
	}
}

/* Runs until a row begins after pc. */
static void rows_run(const struct table *t, struct cursor *c, uint64_t at, uint64_t pc,
		     struct row *r)
{
	struct row kept[REMEMBERED];
	unsigned nkept = 0;

	while (!c->bad && c->at < c->end) {
		unsigned op = (unsigned)take(c, 1), low = op & 0x3f;

		if (op >> 6 == 1) {
			at += low * t->code_factor;
		} else if (op >> 6 == 2) {
			set(r, low, (struct saved){ AT_CFA, (int64_t)uleb(c) * t->data_factor });
		} else if (op >> 6 == 3) {
			restore(t, r, low);
		} else if (op == 0x01) { /* set_loc */
			at = address(c, t->encoding, t);
		} else if (op >= 0x02 && op <= 0x04) { /* advance_loc1, 2, 4 */
			at += take(c, 1u << (op - 2)) * t->code_factor;
		} else if (op == 0x0a && nkept < REMEMBERED) { /* remember_state */
			kept[nkept++] = *r;
		} else if (op == 0x0b && nkept > 0) { /* restore_state */
			*r = kept[--nkept];
		} else {
			step(t, c, op, r);
		}
		if (at > pc)
			return;
	}
}

/* ---- entries ---- */

/* The record at p, after its length; false: it is none. */
static bool record(const struct table *t, const uint8_t *p, struct cursor *c)
{
	uint64_t n;

	*c = (struct cursor){ p, t->high, p < t->low || p >= t->high };
	n = take(c, 4);
	if (c->bad || n == 0 || n >= 0xfffffff0u || n > (uint64_t)(c->end - c->at))
		return false;
	c->end = c->at + n;
	return true;
}

static bool read_cie(struct table *t, const uint8_t *p)
{
	struct cursor c;
	const char *how;
	unsigned version;

	if (!record(t, p, &c) || take(&c, 4) != 0)
		return false;
	version = (unsigned)take(&c, 1);
	how = (const char *)c.at;
	skip(&c, strnlen(how, (size_t)(c.end - c.at)) + 1);
	t->code_factor = uleb(&c);
	t->data_factor = sleb(&c);
	if ((version == 1 ? take(&c, 1) : uleb(&c)) != REG_RA || (version != 1 && version != 3))
		return false;
	t->encoding = ENC_ABS;
	t->augmented = !c.bad && *how == 'z';
	if (t->augmented)
		uleb(&c);
	for (how += t->augmented; !c.bad && *how != '\0'; how++) {
		if (*how == 'R')
			t->encoding = (unsigned)take(&c, 1);
		else if (*how == 'P')
			address(&c, (unsigned)take(&c, 1) & 0x7f, t);
		else if (*how == 'L')
			take(&c, 1);
		else if (*how == 'S')
			t->is_signal = true;
		else
			return false;
	}
	t->first.base = UINT64_MAX;
	rows_run(t, &c, 0, UINT64_MAX, &t->first);
	return !c.bad;
}

static bool read_fde(struct table *t, const uint8_t *p, uint64_t pc, struct row *r)
{
	struct cursor c;
	const uint8_t *here;
	uint64_t back, begin, size;

	if (!record(t, p, &c))
		return false;
	here = c.at;
	back = take(&c, 4);
	if (c.bad || back == 0 || back > (uint64_t)(here - t->low) || !read_cie(t, here - back))
		return false;
	begin = address(&c, t->encoding & 0x7f, t);
	size = address(&c, t->encoding & 0x0f, t);
	if (t->augmented)
		skip(&c, uleb(&c));
	if (c.bad || pc < begin || pc - begin >= size)
		return false;
	*r = t->first;
	rows_run(t, &c, begin, pc, r);
	return !c.bad;
}

/* The FDE of the last function that begins at or before pc. */
static const uint8_t *search(const struct table *t, uint64_t pc)
{
	struct cursor c = { t->header, t->high, t->header < t->low || t->header >= t->high };
	const int32_t *pairs;
	uint64_t n, low = 0, high;

	if (take(&c, 4) != HDR_ENCODINGS)
		return NULL;
	take(&c, 4);
	n = take(&c, 4);
	pairs = (const int32_t *)c.at;
	if (c.bad || n > (uint64_t)(c.end - c.at) / 8)
		return NULL;
	for (high = n; low < high;) {
		uint64_t mid = low + (high - low) / 2;

		if ((uintptr_t)t->header + (uint64_t)(int64_t)pairs[2 * mid] <= pc)
			low = mid + 1;
		else
			high = mid;
	}
	return low == 0 ? NULL : t->header + pairs[2 * (low - 1) + 1];
}

/* ---- rules ---- */

static struct locks_rule rule_of(const struct row *r)
{
	struct locks_rule rule = { .end = r->ra.where == UNDEFINED, .offset = (int32_t)r->offset };

	if (rule.end || r->ra.where != AT_CFA || r->ra.offset != -8 || r->offset != rule.offset)
		return rule;
	if (r->bp.where == AT_CFA && r->bp.offset % 8 == 0 && r->bp.offset / 8 < 0 &&
	    r->bp.offset / 8 > INT16_MIN)
		rule.bp = (int16_t)(r->bp.offset / 8);
	if (r->base == REG_SP)
		rule.base = LOCKS_BASE_SP;
	else if (r->base == REG_BP)
		rule.base = LOCKS_BASE_BP;
	return rule;
}

/* Code without a table (made at run time) may have frame pointers.  The walk looks whether they
 * are any good. */
static const struct locks_rule by_frame_pointer = { .base = LOCKS_BASE_BP, .bp = -2, .offset = 16 };

struct locks_rule locks_unwind_rule(uintptr_t pc, const void *header, uintptr_t low, uintptr_t high)
{
	struct table t = { .low = (const uint8_t *)low,
			   .high = (const uint8_t *)high,
			   .header = header };
	const uint8_t *fde;
	struct row r;

	/* A call may be the last instruction of its function. */
	fde = header != NULL ? search(&t, pc - 1) : NULL;
	if (fde == NULL)
		return by_frame_pointer;
	if (!read_fde(&t, fde, pc - 1, &r) || t.is_signal)
		return (struct locks_rule){ 0 };
	return rule_of(&r);
}
