/*
 * What is added to translated code.
 *
 *	t1 = LDle:I32(t0)		t1 = LDle:I32(t0)
 *	                                if (t0 - own_low >= own_span) access_load(t0, site, size)
 *
 * Helpers come after the access, and read what is there now: the next thread does not run before
 * the block has ended.
 *
 * A load is free if its value reaches nothing but the store of the same instruction (add $1, x) and the
 * condition codes.  Codes live on after the block, so their use is watched: where code looks at codes
 * that come from a free read, an event says that the read was used (USE), which makes it bind.
 */
#include "instrument.h"

#include "pub_tool_debuginfo.h"
#include "pub_tool_guest.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"
#include "pub_tool_tooliface.h"

#include "libvex_guest_amd64.h"

#define OFF(field) ((Int)offsetof(VexGuestAMD64State, guest_##field))

uint64_t flags_fed; /* of the running thread: the free read behind its condition codes */

enum { OWN_BASE = 1, OWN_FIELD };

struct block {
	IRSB *out;
	uint32_t site;	     /* of the instruction */
	enum site_part part; /* whose code it is */
	uint8_t *own;	     /* [temporary of the original] */
	IRTemp ntmps;
};

static void add(struct block *b, IRStmt *s)
{
	addStmtToIRSB(b->out, s);
}

static IRExpr *tmp_of(struct block *b, IRType ty, IRExpr *e)
{
	IRTemp t = newIRTemp(b->out->tyenv, ty);

	add(b, IRStmt_WrTmp(t, e));
	return IRExpr_RdTmp(t);
}

static IRExpr *number(UWord n)
{
	return IRExpr_Const(IRConst_U64(n));
}

static IRExpr *word_at(struct block *b, const void *p)
{
	return tmp_of(b, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, number((UWord)p)));
}

/* Is this access to be recorded? */
static IRExpr *guard_of(struct block *b, Bool store, IRExpr *addr, IRExpr *also)
{
	IRExpr *low = word_at(b, store ? &store_low : &own_low);
	IRExpr *span = word_at(b, store ? &store_span : &own_span);
	IRExpr *d = tmp_of(b, Ity_I64, IRExpr_Binop(Iop_Sub64, addr, low));
	IRExpr *g = tmp_of(b, Ity_I1, IRExpr_Binop(Iop_CmpLE64U, span, d));
	IRExpr *both;

	if (also == NULL)
		return g;
	both = tmp_of(b, Ity_I64,
		      IRExpr_Binop(Iop_And64, tmp_of(b, Ity_I64, IRExpr_Unop(Iop_1Uto64, g)),
				   tmp_of(b, Ity_I64, IRExpr_Unop(Iop_1Uto64, also))));
	return tmp_of(b, Ity_I1, IRExpr_Binop(Iop_CmpNE64, both, number(0)));
}

static void call(struct block *b, IRExpr *guard, Int regparms, const HChar *name, void *f,
		 IRExpr **args)
{
	IRDirty *d = unsafeIRDirty_0_N(regparms, name, VG_(fnptr_to_fnentry)(f), args);

	if (guard != NULL)
		d->guard = guard;
	add(b, IRStmt_Dirty(d));
}

#define CALL(b, guard, regparms, f, ...) \
	call(b, guard, regparms, #f, (void *)(f), mkIRExprVec_##__VA_ARGS__)

static IRExpr *info_of(const struct block *b, UWord flags)
{
	return number((UWord)b->site << INFO_SITE_SHIFT | flags);
}

static unsigned log2_of(Int n)
{
	return n == 1 ? 0 : n == 2 ? 1 : n == 4 ? 2 : 3;
}

/* Addresses of functions in other images: the loader writes them there, at their first call. */
static Bool is_table(const IRExpr *addr)
{
	const HChar *name;
	VgSectKind kind;

	if (addr->tag != Iex_Const)
		return False;
	kind = VG_(DebugInfo_sect_kind)(&name, (Addr)addr->Iex.Const.con->Ico.U64);
	return kind == Vg_SectGOT || kind == Vg_SectGOTPLT || kind == Vg_SectPLT;
}

/* Of the block so far: is addr what the segment register holds, and a little more? */
static Bool is_own(const struct block *b, const IRExpr *addr)
{
	return addr->tag == Iex_RdTmp && addr->Iex.RdTmp.tmp < b->ntmps &&
	       b->own[addr->Iex.RdTmp.tmp] == OWN_FIELD;
}

static void own_follow(struct block *b, const IRStmt *s)
{
	const IRExpr *e = s->tag == Ist_WrTmp ? s->Ist.WrTmp.data : NULL;
	const IRExpr *x, *y;

	if (e == NULL)
		return;
	if (e->tag == Iex_Get && e->Iex.Get.offset == OFF(FS_CONST)) {
		b->own[s->Ist.WrTmp.tmp] = OWN_BASE;
		return;
	}
	if (e->tag != Iex_Binop || e->Iex.Binop.op != Iop_Add64)
		return;
	x = e->Iex.Binop.arg1;
	y = e->Iex.Binop.arg2;
	if (x->tag == Iex_Const) {
		x = e->Iex.Binop.arg2;
		y = e->Iex.Binop.arg1;
	}
	if (x->tag == Iex_RdTmp && b->own[x->Iex.RdTmp.tmp] == OWN_BASE && y->tag == Iex_Const &&
	    y->Iex.Const.con->Ico.U64 < TCB)
		b->own[s->Ist.WrTmp.tmp] = OWN_FIELD;
}

static void access_add(struct block *b, Bool store, IRExpr *addr, Int n, IRExpr *also, UWord flags)
{
	IRExpr *guard;

	/* What the loader reads is not recorded. */
	if (!store && (b->part == SITE_LOADER || is_table(addr) || is_own(b, addr)))
		return;
	flags |= b->part == SITE_LOADER ? INFO_HIDDEN : b->part == SITE_LIBRARY ? INFO_LIBRARY : 0;
	/* By its last byte: part of it may lie above the thread's floor. */
	guard = guard_of(
		b, store,
		n == 1 ? addr
		       : tmp_of(b, Ity_I64, IRExpr_Binop(Iop_Add64, addr, number((UWord)n - 1))),
		also);

	if (n == 1 || n == 2 || n == 4 || n == 8) {
		IRExpr *info = info_of(b, flags | log2_of(n));

		if (b->part == SITE_STRINGS && store)
			CALL(b, guard, 2, access_store_for, 2(addr, info));
		else if (b->part == SITE_STRINGS)
			CALL(b, guard, 2, access_load_for, 2(addr, info));
		else if (store)
			CALL(b, guard, 2, access_store, 2(addr, info));
		else if (flags & INFO_FREE)
			CALL(b, guard, 2, access_load_any, 2(addr, info));
		else
			CALL(b, guard, 2, access_load, 2(addr, info));
	} else if (store) {
		CALL(b, guard, 3, access_store_wide, 3(addr, info_of(b, flags), number((UWord)n)));
	} else {
		CALL(b, guard, 3, access_load_wide, 3(addr, info_of(b, flags), number((UWord)n)));
	}
}

/* ---- atomics ---- */

static IRExpr *widen(struct block *b, IRExpr *e)
{
	switch (typeOfIRExpr(b->out->tyenv, e)) {
	case Ity_I8:
		return tmp_of(b, Ity_I64, IRExpr_Unop(Iop_8Uto64, e));
	case Ity_I16:
		return tmp_of(b, Ity_I64, IRExpr_Unop(Iop_16Uto64, e));
	case Ity_I32:
		return tmp_of(b, Ity_I64, IRExpr_Unop(Iop_32Uto64, e));
	default:
		return e;
	}
}

static void cas_add(struct block *b, const IRCAS *c)
{
	Int n = sizeofIRType(typeOfIRExpr(b->out->tyenv, c->dataLo));
	IRExpr *guard, *info, *old, *expected;

	if (b->part == SITE_LOADER)
		return;
	guard = guard_of(b, True, c->addr, NULL);
	info = number((UWord)b->site << INFO_SITE_SHIFT | log2_of(n));
	old = widen(b, IRExpr_RdTmp(c->oldLo));
	expected = widen(b, c->expdLo);
	if (c->dataHi == NULL) {
		CALL(b, guard, 0, access_cas, 4(c->addr, info, old, expected));
	} else if (n == 8) {
		IRExpr *x = tmp_of(b, Ity_I64, IRExpr_Binop(Iop_Xor64, old, expected));
		IRExpr *y = tmp_of(b, Ity_I64,
				   IRExpr_Binop(Iop_Xor64, IRExpr_RdTmp(c->oldHi), c->expdHi));
		IRExpr *z = tmp_of(b, Ity_I64, IRExpr_Binop(Iop_Or64, x, y));
		IRExpr *same = tmp_of(b, Ity_I1, IRExpr_Binop(Iop_CmpEQ64, z, number(0)));

		CALL(b, guard, 0, access_cas_wide,
		     3(c->addr, info, tmp_of(b, Ity_I64, IRExpr_Unop(Iop_1Uto64, same))));
	} else { /* two halves of 8 bytes */
		access_add(b, False, c->addr, 2 * n, NULL, 0);
		access_add(b, True, c->addr, 2 * n, NULL, 0);
	}
}

/* ---- statements ---- */

/* What it reads, before it is done; what it writes, after. */
static void dirty_add(struct block *b, const IRDirty *d, Bool store)
{
	IRExpr *also = d->guard->tag == Iex_Const ? NULL : d->guard;
	Bool reads = d->mFx == Ifx_Read || d->mFx == Ifx_Modify;
	Bool writes = d->mFx == Ifx_Write || d->mFx == Ifx_Modify;

	if (store ? writes : reads)
		access_add(b, store, d->mAddr, d->mSize, also, 0);
}

static Int loaded_size(const IRLoadG *l)
{
	IRType to, from;

	typeOfIRLoadGOp(l->cvt, &to, &from);
	return sizeofIRType(from);
}

static void flags_add(struct block *b, const IRStmt *s, const struct flow *f, Int i)
{
	if (flow_uses_codes(s)) {
		IRExpr *fed = word_at(b, &flags_fed);
		IRExpr *some = tmp_of(b, Ity_I1, IRExpr_Binop(Iop_CmpNE64, fed, number(0)));

		CALL(b, some, 1, access_flags_used, 1(number(b->site)));
	}
	if (f->codes[i] == FLOW_SET)
		add(b, IRStmt_Store(Iend_LE, number((UWord)&flags_fed), number(0)));
	else if (f->codes[i] == FLOW_FED)
		CALL(b, NULL, 0, access_flags_fed, 0());
}

static void statement(struct block *b, IRStmt *s, const struct flow *f, Int i)
{
	flags_add(b, s, f, i);
	if (s->tag == Ist_Dirty)
		dirty_add(b, s->Ist.Dirty.details, False);
	add(b, s);
	switch (s->tag) {
	case Ist_WrTmp:
		if (s->Ist.WrTmp.data->tag == Iex_Load && !f->skip[i])
			access_add(b, False, s->Ist.WrTmp.data->Iex.Load.addr,
				   sizeofIRType(s->Ist.WrTmp.data->Iex.Load.ty), NULL,
				   f->free[i] ? INFO_FREE : 0);
		break;
	case Ist_Store:
		access_add(b, True, s->Ist.Store.addr,
			   sizeofIRType(typeOfIRExpr(b->out->tyenv, s->Ist.Store.data)), NULL,
			   f->free[i] ? INFO_FED : 0);
		break;
	case Ist_LoadG:
		access_add(b, False, s->Ist.LoadG.details->addr, loaded_size(s->Ist.LoadG.details),
			   s->Ist.LoadG.details->guard, 0);
		break;
	case Ist_StoreG:
		access_add(b, True, s->Ist.StoreG.details->addr,
			   sizeofIRType(typeOfIRExpr(b->out->tyenv, s->Ist.StoreG.details->data)),
			   s->Ist.StoreG.details->guard, 0);
		break;
	case Ist_CAS:
		cas_add(b, s->Ist.CAS.details);
		break;
	case Ist_Dirty:
		dirty_add(b, s->Ist.Dirty.details, True);
		break;
	default:
		break;
	}
}

static void end_add(struct block *b, const IRSB *in, Addr next)
{
	IRExpr *sp;

	if (in->jumpkind != Ijk_Call && in->jumpkind != Ijk_Ret)
		return;
	sp = tmp_of(b, Ity_I64, IRExpr_Get(OFF(RSP), Ity_I64));
	if (in->jumpkind == Ijk_Call)
		CALL(b, NULL, 2, site_call, 2(sp, number(site_return(next))));
	else
		CALL(b, NULL, 1, site_ret, 1(sp));
}

IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
		 const VexGuestExtents *extents, const VexArchInfo *arch, IRType word, IRType host)
{
	struct block b = { .out = deepCopyIRSBExceptStmts(in) };
	struct flow *f = flow_of(in);
	Addr next = 0;
	Int i = 0;

	b.ntmps = (IRTemp)in->tyenv->types_used;
	b.own = VG_(calloc)("foresee.own", b.ntmps + 1, 1);
	(void)closure, (void)layout, (void)extents, (void)arch, (void)word, (void)host;
	for (; i < in->stmts_used && in->stmts[i]->tag != Ist_IMark; i++)
		add(&b, in->stmts[i]);
	for (; i < in->stmts_used; i++) {
		IRStmt *s = in->stmts[i];

		if (s->tag == Ist_IMark) {
			b.site = site_of(s->Ist.IMark.addr);
			b.part = site_part(b.site);
			next = s->Ist.IMark.addr + s->Ist.IMark.len;
		}
		own_follow(&b, s);
		statement(&b, s, f, i);
	}
	end_add(&b, in, next);
	VG_(free)(b.own);
	flow_free(f);
	return b.out;
}
