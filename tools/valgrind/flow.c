/*
 * Where the value of a load goes within its block.
 *
 * A load is free if, from there to the end of the block, every expression that its value goes into
 * is stored by the instruction of the load itself at the address it came from, or put into the condition codes.  Anything else, a
 * register, an address, a guard, another store, an argument of a helper with effects, makes it bind.
 */
#include "instrument.h"

#include "libvex_guest_amd64.h"

#define OFF(field) ((Int)offsetof(VexGuestAMD64State, guest_##field))

static Bool is_code(Int offset)
{
	return offset == OFF(CC_OP) || offset == OFF(CC_DEP1) || offset == OFF(CC_DEP2) ||
	       offset == OFF(CC_NDEP);
}

static Bool is_same(const IRExpr *a, const IRExpr *b)
{
	return eqIRAtom(a, b);
}

/* Does e, an atom or one operation on atoms, use a tainted value?  tainted[temporary]. */
static Bool uses(const IRExpr *e, const Bool *tainted)
{
	switch (e->tag) {
	case Iex_RdTmp:
		return tainted[e->Iex.RdTmp.tmp];
	case Iex_Const:
	case Iex_Get:
		return False;
	case Iex_Unop:
		return uses(e->Iex.Unop.arg, tainted);
	case Iex_Binop:
		return uses(e->Iex.Binop.arg1, tainted) || uses(e->Iex.Binop.arg2, tainted);
	case Iex_Triop:
		return uses(e->Iex.Triop.details->arg1, tainted) ||
		       uses(e->Iex.Triop.details->arg2, tainted) ||
		       uses(e->Iex.Triop.details->arg3, tainted);
	case Iex_Qop:
		return uses(e->Iex.Qop.details->arg1, tainted) ||
		       uses(e->Iex.Qop.details->arg2, tainted) ||
		       uses(e->Iex.Qop.details->arg3, tainted) ||
		       uses(e->Iex.Qop.details->arg4, tainted);
	case Iex_ITE:
		return uses(e->Iex.ITE.cond, tainted) || uses(e->Iex.ITE.iftrue, tainted) ||
		       uses(e->Iex.ITE.iffalse, tainted);
	case Iex_CCall:
		for (Int i = 0; e->Iex.CCall.args[i] != NULL; i++)
			if (uses(e->Iex.CCall.args[i], tainted))
				return True;
		return False;
	case Iex_Load:
		return uses(e->Iex.Load.addr, tainted);
	default:
		return True;
	}
}

enum effect { NOTHING, SPREADS, CODES, STORED, BINDS };

/* What a statement does with the tainted values.  Loads by address of one bind. */
static enum effect effect_of(const IRStmt *s, const Bool *tainted)
{
	switch (s->tag) {
	case Ist_NoOp:
	case Ist_IMark:
	case Ist_AbiHint:
	case Ist_MBE:
		return NOTHING;
	case Ist_WrTmp:
		if (!uses(s->Ist.WrTmp.data, tainted))
			return NOTHING;
		return s->Ist.WrTmp.data->tag == Iex_Load ? BINDS : SPREADS;
	case Ist_Put:
		if (!uses(s->Ist.Put.data, tainted))
			return NOTHING;
		return is_code(s->Ist.Put.offset) ? CODES : BINDS;
	case Ist_Store:
		if (uses(s->Ist.Store.addr, tainted))
			return BINDS;
		return uses(s->Ist.Store.data, tainted) ? STORED : NOTHING;
	case Ist_Exit:
		return uses(s->Ist.Exit.guard, tainted) ? BINDS : NOTHING;
	case Ist_CAS:
		return uses(s->Ist.CAS.details->addr, tainted) ||
				       uses(s->Ist.CAS.details->dataLo, tainted) ||
				       uses(s->Ist.CAS.details->expdLo, tainted)
			       ? BINDS
			       : NOTHING;
	case Ist_Dirty:
		if (uses(s->Ist.Dirty.details->guard, tainted))
			return BINDS;
		for (Int i = 0; s->Ist.Dirty.details->args[i] != NULL; i++) {
			const IRExpr *e = s->Ist.Dirty.details->args[i];

			if (e->tag != Iex_VECRET && e->tag != Iex_GSPTR && uses(e, tainted))
				return BINDS;
		}
		return NOTHING;
	default:
		return BINDS; /* guarded accesses and the like: rare, and not looked into */
	}
}

/* The last statement of the instruction that statement i is of. */
static Int instruction_end(const IRSB *b, Int i)
{
	while (i + 1 < b->stmts_used && b->stmts[i + 1]->tag != Ist_IMark)
		i++;
	return i;
}

/* The store of the load's instruction to the same address; -1: none, or there are several. */
static Int store_of(const IRSB *b, Int load)
{
	const IRExpr *addr = b->stmts[load]->Ist.WrTmp.data->Iex.Load.addr;
	Int found = -1;

	for (Int i = load + 1; i <= instruction_end(b, load); i++) {
		const IRStmt *s = b->stmts[i];

		if (s->tag == Ist_CAS || s->tag == Ist_Dirty || s->tag == Ist_StoreG ||
		    (s->tag == Ist_WrTmp && s->Ist.WrTmp.data->tag == Iex_Load))
			return -1;
		if (s->tag == Ist_Store && (found >= 0 || !is_same(s->Ist.Store.addr, addr)))
			return -1;
		if (s->tag == Ist_Store)
			found = i;
	}
	return found;
}

/* Codes that were left by a free read must not be looked at within the block but through temporaries,
 * which are followed. */
static Bool codes_are_read(const IRStmt *s)
{
	return flow_uses_codes(s);
}

static void load_check(const IRSB *b, Int load, Bool *tainted, struct flow *f)
{
	Int store = store_of(b, load);
	Bool codes = False;

	if (store < 0)
		return;
	VG_(memset)(tainted, 0, (SizeT)b->tyenv->types_used * sizeof(*tainted));
	tainted[b->stmts[load]->Ist.WrTmp.tmp] = True;
	for (Int i = load + 1; i < b->stmts_used; i++) {
		enum effect e = effect_of(b->stmts[i], tainted);

		if (e == BINDS || (e == STORED && i != store) ||
		    (codes && codes_are_read(b->stmts[i])))
			return;
		if (e == SPREADS)
			tainted[b->stmts[i]->Ist.WrTmp.tmp] = True;
		if (e == CODES)
			codes = True;
	}
	if (uses(b->next, tainted) || !uses(b->stmts[store]->Ist.Store.data, tainted))
		return;
	f->free[load] = f->free[store] = True;
	/* Once more: which statements leave it in the codes. */
	VG_(memset)(tainted, 0, (SizeT)b->tyenv->types_used * sizeof(*tainted));
	tainted[b->stmts[load]->Ist.WrTmp.tmp] = True;
	for (Int i = load + 1; i < b->stmts_used; i++) {
		enum effect e = effect_of(b->stmts[i], tainted);

		if (e == SPREADS)
			tainted[b->stmts[i]->Ist.WrTmp.tmp] = True;
		if (e == CODES)
			f->codes[i] = FLOW_FED;
	}
}

Bool flow_uses_codes(const IRStmt *s)
{
	return s->tag == Ist_WrTmp && s->Ist.WrTmp.data->tag == Iex_Get &&
	       is_code(s->Ist.WrTmp.data->Iex.Get.offset);
}

/* A load whose instruction goes on to compare and swap there. */
static Bool is_part_of_cas(const IRSB *b, Int load)
{
	const IRExpr *addr = b->stmts[load]->Ist.WrTmp.data->Iex.Load.addr;

	for (Int i = load + 1; i <= instruction_end(b, load); i++)
		if (b->stmts[i]->tag == Ist_CAS &&
		    is_same(b->stmts[i]->Ist.CAS.details->addr, addr))
			return True;
	return False;
}

static Bool is_load(const IRStmt *s)
{
	return s->tag == Ist_WrTmp && s->Ist.WrTmp.data->tag == Iex_Load;
}

struct flow *flow_of(const IRSB *b)
{
	SizeT n = (SizeT)b->stmts_used + 1;
	struct flow *f = VG_(malloc)("foresee.flow", sizeof(*f));
	Bool *tainted =
		VG_(calloc)("foresee.flow", (SizeT)b->tyenv->types_used + 1, sizeof(*tainted));

	f->free = VG_(calloc)("foresee.flow", n, sizeof(*f->free));
	f->skip = VG_(calloc)("foresee.flow", n, sizeof(*f->skip));
	f->codes = VG_(calloc)("foresee.flow", n, sizeof(*f->codes));
	for (Int i = 0; i < b->stmts_used; i++)
		if (b->stmts[i]->tag == Ist_Put && b->stmts[i]->Ist.Put.offset == OFF(CC_DEP1))
			f->codes[i] = FLOW_SET;
	for (Int i = 0; i < b->stmts_used; i++) {
		if (!is_load(b->stmts[i]))
			continue;
		if (is_part_of_cas(b, i))
			f->skip[i] = True;
		else
			load_check(b, i, tainted, f);
	}
	VG_(free)(tainted);
	return f;
}

void flow_free(struct flow *f)
{
	VG_(free)(f->free);
	VG_(free)(f->skip);
	VG_(free)(f->codes);
	VG_(free)(f);
}
