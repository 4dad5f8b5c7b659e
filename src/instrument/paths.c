/*
 * Names of what an access touches, and of the lock that a call is about: "total",
 * "account.balance", "table[].next".
 *
 * A pointer is followed to its base.  A global or an escaping local gives its
 * own name, and its debug type the path to the byte at the offset.  Through
 * any other pointer the type has to do: the alias class of the access (TBAA)
 * names struct and offset in optimised code, the address arithmetic names
 * them otherwise; debug types then turn the offset into members.
 *
 * Locks are not accesses: there is no alias class, and the path must not lead into a type that is
 * the library's.  Their pointers may also be named by the debug type of where they were loaded.
 */
#include "instrument/unit_priv.h"

/* Where a pointer points. */
struct pointee {
	LLVMValueRef base;
	uint64_t offset;       /* from base, variable indices taken as 0 */
	LLVMTypeRef outer;     /* outermost named struct walked into; may be NULL */
	uint64_t outer_offset; /* from its start */
	bool moved;	       /* some address arithmetic was done */
	bool away;	       /* and not only to the first member */
	uint64_t size;	       /* touched; 0 not known */
	bool lock;	       /* a lock of that size lies there */
};

/* Types nested deeper than this are cut off. */
#define PATHS_DEPTH 12

static bool is_aggregate(LLVMMetadataRef type)
{
	return type && (extra_type_kind(type) == EXTRA_TYPE_STRUCT ||
			extra_type_kind(type) == EXTRA_TYPE_UNION);
}

static bool is_in_std(LLVMMetadataRef type)
{
	LLVMMetadataRef scope, outermost = NULL;

	for (scope = extra_scope(type); scope && extra_name(scope); scope = extra_scope(scope))
		outermost = scope;
	return outermost && strcmp(extra_name(outermost), "std") == 0;
}

/* Of an aggregate at the beginning of which a lock lies: the lock itself, or a part of it. */
static bool is_lock(LLVMMetadataRef type, const struct pointee *at)
{
	return at->lock && (is_in_std(type) || (extra_type_kind(type) == EXTRA_TYPE_UNION &&
						names_size(type) == at->size));
}

/* The first member that has (a bit of) the byte at offset; NULL if none has. */
static LLVMMetadataRef member_at(LLVMMetadataRef type, uint64_t offset)
{
	unsigned n = extra_element_count(type);
	LLVMMetadataRef flexible = NULL;

	for (unsigned i = 0; i < n; i++) {
		LLVMMetadataRef m = extra_element(type, i);
		uint64_t start, size;

		if (!m)
			continue;
		start = LLVMDITypeGetOffsetInBits(m) / 8;
		size = (LLVMDITypeGetSizeInBits(m) + 7) / 8;
		if (start <= offset && offset < start + size)
			return m;
		if (start <= offset && size == 0)
			flexible = m;
	}
	return flexible;
}

/* Touched as a whole, from its beginning: a struct of more than a word, unless a lock is all that
 * is in it. */
static bool is_whole(LLVMMetadataRef type, uint64_t offset, const struct pointee *at)
{
	return is_lock(type, at) ||
	       (offset == 0 && at->size > 8 && names_size(type) == at->size && !at->lock);
}

/* One step down, to the member or element that has the byte at *offset; NULL: this is it. */
static LLVMMetadataRef step_into(LLVMMetadataRef type, uint64_t *offset, const struct pointee *at,
				 struct strbuf *b)
{
	LLVMMetadataRef m;
	uint64_t step;

	switch (extra_type_kind(type)) {
	case EXTRA_TYPE_STRUCT:
	case EXTRA_TYPE_UNION:
		m = is_whole(type, *offset, at) ? NULL : member_at(type, *offset);
		if (!m)
			return NULL;
		if (extra_name(m) && b)
			strbuf_addf(b, "%s%s", b->n ? "." : "", extra_name(m));
		*offset -= LLVMDITypeGetOffsetInBits(m) / 8;
		return extra_type_of(m);
	case EXTRA_TYPE_ARRAY:
		if (*offset == 0 && names_size(type) == at->size && !at->lock)
			return NULL;
		if (b)
			strbuf_adds(b, "[]");
		type = extra_type_of(type);
		step = type ? names_size(names_bare_type(type)) : 0;
		*offset = step ? *offset % step : 0;
		return type;
	default:
		return NULL;
	}
}

/* Members down to the byte at offset, as long as they hold all that is touched.  Returns the type
 * of the last one, or NULL. */
static LLVMMetadataRef add_path(struct strbuf *b, LLVMMetadataRef type, uint64_t offset,
				const struct pointee *at)
{
	for (unsigned i = 0; i < PATHS_DEPTH; i++) {
		LLVMMetadataRef inner;

		type = names_bare_type(type);
		if (!type || (offset == 0 && (!at->size || names_size(type) < at->size)))
			return type;
		inner = step_into(type, &offset, at, b);
		if (!inner)
			return type;
		type = inner;
	}
	return NULL;
}

static void visit_struct(void *arg, const char *name, LLVMMetadataRef type)
{
	struct unit *u = arg;

	*map_put(&u->structs, unit_string(u, name), NULL) = (uintptr_t)type;
}

static LLVMMetadataRef find_struct(struct unit *u, const char *name, size_t n)
{
	uint64_t *type;

	if (!u->structs_known)
		extra_structs(u->module, visit_struct, u);
	u->structs_known = true;
	type = n ? map_get(&u->structs, intern_find(u->strings, name, n)) : NULL;
	return type ? (LLVMMetadataRef)(uintptr_t)*type : NULL;
}

/* Bytes an address step skips; *inner: those past the first index. */
static uint64_t gep_offset(struct unit *u, LLVMValueRef gep, uint64_t *inner)
{
	LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
	unsigned n = (unsigned)LLVMGetNumOperands(gep);
	uint64_t offset = 0;

	*inner = 0;
	for (unsigned i = 1; i < n; i++) {
		LLVMValueRef index = LLVMGetOperand(gep, i);
		bool known = LLVMIsAConstantInt(index) != NULL;
		uint64_t at = 0;

		if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
			unsigned field = known ? (unsigned)LLVMConstIntGetZExtValue(index) : 0;

			at = LLVMOffsetOfElement(u->layout, type, field);
			type = LLVMStructGetTypeAtIndex(type, field);
		} else {
			if (i > 1)
				type = LLVMGetElementType(type);
			if (known)
				at = (uint64_t)LLVMConstIntGetSExtValue(index) *
				     LLVMABISizeOfType(u->layout, type);
		}
		offset += at;
		if (i > 1)
			*inner += at;
	}
	return offset;
}

static bool has_variable_index(LLVMValueRef gep)
{
	unsigned n = (unsigned)LLVMGetNumOperands(gep);

	for (unsigned i = 1; i < n; i++)
		if (!LLVMIsAConstantInt(LLVMGetOperand(gep, i)))
			return true;
	return false;
}

static struct pointee pointee_of(struct unit *u, LLVMValueRef p)
{
	struct pointee at = { .base = p };

	for (;;) {
		bool gep = LLVMIsAGetElementPtrInst(p) ||
			   (LLVMIsAConstantExpr(p) && LLVMGetConstOpcode(p) == LLVMGetElementPtr);
		uint64_t inner, offset;
		LLVMTypeRef type;

		at.base = p;
		if (!gep && escape_base(p) == p)
			return at;
		if (gep) {
			type = LLVMGetGEPSourceElementType(p);
			offset = gep_offset(u, p, &inner);
			if (LLVMGetTypeKind(type) == LLVMStructTypeKind &&
			    LLVMGetStructName(type)) {
				at.outer = type;
				at.outer_offset = at.offset + inner;
			}
			at.offset += offset;
			at.moved = true;
			at.away |= offset != 0 || has_variable_index(p);
		}
		p = LLVMGetOperand(p, 0);
	}
}

/* "struct.account.12" is account. */
static LLVMMetadataRef struct_of_type(struct unit *u, LLVMTypeRef type)
{
	const char *name = LLVMGetStructName(type);
	const char *dot = strchr(name, '.');
	LLVMMetadataRef found;
	size_t n;

	name = dot ? dot + 1 : name;
	n = strlen(name);
	found = find_struct(u, name, n);
	if (!found) {
		n = strcspn(name, ".");
		found = find_struct(u, name, n);
	}
	return found;
}

/* Struct and offset from the alias class of an access. */
static LLVMMetadataRef struct_of_alias(struct unit *u, LLVMValueRef inst, uint64_t *offset)
{
	LLVMValueRef tag = LLVMGetMetadata(inst, LLVMGetMDKindID("tbaa", 4));
	LLVMMetadataRef found = NULL;
	LLVMValueRef ops[4], *base;
	const char *name;
	unsigned n;

	if (!tag || LLVMGetMDNodeNumOperands(tag) < 3 || LLVMGetMDNodeNumOperands(tag) > 4)
		return NULL;
	LLVMGetMDNodeOperands(tag, ops);
	if (!ops[0] || !LLVMIsAMDNode(ops[0]) || !ops[2] || !LLVMIsAConstantInt(ops[2]))
		return NULL;
	n = LLVMGetMDNodeNumOperands(ops[0]);
	if (!n)
		return NULL;
	base = mem_alloc(n * sizeof(*base));
	LLVMGetMDNodeOperands(ops[0], base);
	*offset = LLVMConstIntGetZExtValue(ops[2]);
	if (base[0] && LLVMIsAMDString(base[0])) {
		name = LLVMGetMDString(base[0], &n);
		found = find_struct(u, name, n);
	}
	mem_free(base);
	return found;
}

static bool is_pointer(LLVMMetadataRef type)
{
	return type && extra_type_kind(type) == EXTRA_TYPE_POINTER;
}

/* In a struct behind a pointer; an array of them is taken for one. */
static LLVMMetadataRef add_in_struct(struct strbuf *b, LLVMMetadataRef named,
				     const struct pointee *at)
{
	LLVMMetadataRef type = names_bare_type(named);
	uint64_t whole = names_size(type);

	if (extra_name(type) || extra_name(named))
		strbuf_adds(b, extra_name(extra_name(type) ? type : named));
	return add_path(b, type, whole ? at->offset % whole : 0, at);
}

/* By the debug type of a local pointer: "account.balance", "*p", "p[]". */
static LLVMMetadataRef add_through_local(struct strbuf *b, const struct pointee *at)
{
	LLVMMetadataRef variable, pointer, type;

	for (unsigned i = 0;; i++) {
		variable = extra_local_variable(at->base, false, i);
		if (!variable)
			return NULL;
		pointer = names_bare_type(extra_type_of(variable));
		/* A lock is in no void: another variable with this value may know better. */
		if (!at->lock || (is_pointer(pointer) && extra_type_of(pointer)))
			break;
	}
	if (!is_pointer(pointer) || !extra_name(variable))
		return NULL;
	type = names_bare_type(extra_type_of(pointer));
	if (is_aggregate(type) && !is_lock(type, at))
		return add_in_struct(b, extra_type_of(pointer), at);
	if (at->lock && strcmp(extra_name(variable), "this") == 0)
		return NULL; /* within the library's own class */
	strbuf_addf(b, (at->lock ? at->away : at->moved) ? "%s[]" : "*%s", extra_name(variable));
	return type;
}

static LLVMMetadataRef add_variable(struct unit *u, struct strbuf *b, LLVMValueRef inst,
				    const struct pointee *at);

/* A lock, by the debug type of the pointer to it that was loaded: "account.lock", or from an array
 * of locks "table.locks[]". */
static void add_through_load(struct unit *u, struct strbuf *b, LLVMValueRef load,
			     const struct pointee *at)
{
	struct strbuf holder = { 0 };
	LLVMMetadataRef pointer, type;
	struct pointee from;

	from = pointee_of(u, LLVMGetOperand(load, 0));
	from.size = LLVMPointerSize(u->layout);
	pointer = add_variable(u, &holder, load, &from);
	type = is_pointer(pointer) ? names_bare_type(extra_type_of(pointer)) : NULL;
	if (is_aggregate(type) && !is_lock(type, at))
		add_in_struct(b, extra_type_of(pointer), at);
	else if (type && at->away)
		strbuf_addf(b, "%s[]", strbuf_str(&holder));
	strbuf_release(&holder);
}

/* The same where loads from several addresses meet, and agree. */
static void add_through_loads(struct unit *u, struct strbuf *b, const struct pointee *at)
{
	bool phi = LLVMIsAPHINode(at->base) != NULL;
	unsigned n = phi ? LLVMCountIncoming(at->base) : 1;

	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef load = phi ? LLVMGetIncomingValue(at->base, i) : at->base;
		struct strbuf name = { 0 };

		if (LLVMIsALoadInst(load))
			add_through_load(u, &name, load, at);
		if (i == 0)
			strbuf_adds(b, strbuf_str(&name));
		else if (strcmp(strbuf_str(b), strbuf_str(&name)) != 0)
			strbuf_clear(b);
		strbuf_release(&name);
		if (!b->n)
			return;
	}
}

static LLVMMetadataRef add_through_pointer(struct unit *u, struct strbuf *b, LLVMValueRef inst,
					   const struct pointee *at)
{
	uint64_t offset = 0;
	LLVMMetadataRef type = struct_of_alias(u, inst, &offset);

	if (at->outer && (!type || extra_type_kind(type) == EXTRA_TYPE_UNION)) {
		type = struct_of_type(u, at->outer);
		offset = at->outer_offset;
	}
	if (!type || is_lock(type, at)) {
		type = add_through_local(b, at);
		if (at->lock && !b->n)
			add_through_loads(u, b, at);
		return type;
	}
	if (extra_name(type))
		strbuf_adds(b, extra_name(type));
	else if (at->outer && strchr(LLVMGetStructName(at->outer), '.'))
		strbuf_adds(b, strchr(LLVMGetStructName(at->outer), '.') + 1);
	return add_path(b, type, offset, at);
}

/* Returns the debug type of what it has named, if that is known. */
static LLVMMetadataRef add_variable(struct unit *u, struct strbuf *b, LLVMValueRef inst,
				    const struct pointee *at)
{
	LLVMMetadataRef variable;

	if (LLVMIsAGlobalVariable(at->base)) {
		variable = names_global(at->base);
		names_add_global(b, at->base, variable);
	} else if (LLVMIsAAllocaInst(at->base)) {
		variable = extra_local_variable(at->base, true, 0);
		if (variable && extra_name(variable))
			strbuf_adds(b, extra_name(variable));
	} else {
		return add_through_pointer(u, b, inst, at);
	}
	return variable && b->n ? add_path(b, extra_type_of(variable), at->offset, at) : NULL;
}

uint32_t paths_variable(struct function *f, const struct record *r)
{
	struct unit *u = f->unit;
	LLVMValueRef lock = NULL;
	struct strbuf b = { 0 };
	uint64_t size = 0;
	struct pointee at;

	switch (r->action) {
	case ACT_READ:
	case ACT_WRITE:
	case ACT_RMW:
	case ACT_CAS:
		at = pointee_of(u, plan_pointer(r->inst));
		size = LLVMStoreSizeOfType(u->layout, plan_type(r->inst));
		break;
	case ACT_COPY:
	case ACT_PUT:
	case ACT_FILL:
	case ACT_FETCH:
		at = pointee_of(u, LLVMGetOperand(r->inst, r->action == ACT_FETCH ? 1 : 0));
		if (LLVMIsAConstantInt(LLVMGetOperand(r->inst, 2)))
			size = LLVMConstIntGetZExtValue(LLVMGetOperand(r->inst, 2));
		break;
	case ACT_CALL:
		lock = locks_argument(r->inst, &size);
		if (!lock)
			return 0;
		at = pointee_of(u, lock);
		break;
	default:
		return 0;
	}
	at.size = size;
	at.lock = lock != NULL;
	add_variable(u, &b, r->inst, &at);
	return unit_text(u, &b);
}
