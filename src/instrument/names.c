/*
 * Names of what an access touches: "total", "account.balance", "table[].next".
 *
 * A pointer is followed to its base.  A global or an escaping local gives its
 * own name, and its debug type the path to the byte at the offset.  Through
 * any other pointer the type has to do: the alias class of the access (TBAA)
 * names struct and offset in optimised code, the address arithmetic names
 * them otherwise; debug types then turn the offset into members.
 */
#include "instrument/unit_priv.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

#include "base/intern.h"
#include "base/strbuf.h"

/* Where a pointer points. */
struct place {
	LLVMValueRef base;
	uint64_t offset;       /* from base, variable indices taken as 0 */
	LLVMTypeRef outer;     /* outermost named struct walked into; may be NULL */
	uint64_t outer_offset; /* from its start */
	bool moved;	       /* some address arithmetic was done */
};

/* Types nested deeper than this are cut off. */
#define NAMES_DEPTH 12

LLVMMetadataRef names_global(LLVMValueRef global)
{
	size_t n;
	LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(global, &n);
	LLVMMetadataRef found = NULL;

	for (unsigned i = 0; i < n && !found; i++) {
		LLVMMetadataRef md = LLVMValueMetadataEntriesGetMetadata(entries, i);

		if (LLVMGetMetadataKind(md) == LLVMDIGlobalVariableExpressionMetadataKind)
			found = LLVMDIGlobalVariableExpressionGetVariable(md);
	}
	LLVMDisposeValueMetadataEntries(entries);
	return found;
}

void names_add_qualified(struct strbuf *b, LLVMMetadataRef node, const char *separator)
{
	LLVMMetadataRef scope = extra_scope(node);

	if (scope && extra_name(scope)) {
		names_add_qualified(b, scope, separator);
		strbuf_adds(b, separator);
	}
	if (extra_name(node))
		strbuf_adds(b, extra_name(node));
}

uint32_t names_function(struct unit *u, LLVMMetadataRef subprogram)
{
	struct strbuf b = { 0 };
	uint32_t id;

	names_add_qualified(&b, subprogram, "::");
	id = unit_string(u, strbuf_str(&b));
	strbuf_release(&b);
	return id;
}

static LLVMMetadataRef type_strip(LLVMMetadataRef type)
{
	for (unsigned i = 0; type && i < NAMES_DEPTH; i++) {
		enum extra_type kind = extra_type_kind(type);

		if (kind != EXTRA_TYPE_NAMED && kind != EXTRA_TYPE_CONST &&
		    kind != EXTRA_TYPE_QUALIFIED)
			break;
		type = extra_type_of(type);
	}
	return type;
}

static void add_type(struct strbuf *b, LLVMMetadataRef type, unsigned depth)
{
	static const char *const prefix[] = {
		[EXTRA_TYPE_STRUCT] = "struct ",
		[EXTRA_TYPE_UNION] = "union ",
		[EXTRA_TYPE_CONST] = "const ",
		[EXTRA_TYPE_FUNCTION] = "function",
	};
	enum extra_type kind = extra_type_kind(type);

	if (!type) {
		strbuf_adds(b, "void");
		return;
	}
	if (depth > NAMES_DEPTH)
		return;
	if (kind <= EXTRA_TYPE_FUNCTION && prefix[kind])
		strbuf_adds(b, prefix[kind]);
	switch (kind) {
	case EXTRA_TYPE_CONST:
	case EXTRA_TYPE_QUALIFIED:
		add_type(b, extra_type_of(type), depth + 1);
		break;
	case EXTRA_TYPE_POINTER:
		add_type(b, extra_type_of(type), depth + 1);
		strbuf_adds(b, strbuf_str(b)[b->n - 1] == '*' ? "*" : " *");
		break;
	case EXTRA_TYPE_ARRAY:
		add_type(b, extra_type_of(type), depth + 1);
		for (unsigned i = 0; i < extra_element_count(type); i++) {
			int64_t n = extra_dimension(type, i);

			if (n >= 0)
				strbuf_addf(b, "[%lld]", (long long)n);
			else
				strbuf_adds(b, "[]");
		}
		break;
	case EXTRA_TYPE_FUNCTION:
		break;
	default:
		strbuf_adds(b, extra_name(type) ? extra_name(type) : "{...}");
		break;
	}
}

uint32_t names_type(struct unit *u, LLVMMetadataRef type)
{
	struct strbuf b = { 0 };
	uint32_t id = 0;

	if (type) {
		add_type(&b, type, 0);
		id = unit_string(u, strbuf_str(&b));
	}
	strbuf_release(&b);
	return id;
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

/* Members down to the byte at offset, as long as they hold all that is touched (size 0: not
 * known).  A struct of more than a word, and an array, touched as a whole stay whole. */
static void add_path(struct strbuf *b, LLVMMetadataRef type, uint64_t offset, uint64_t size)
{
	for (unsigned i = 0; i < NAMES_DEPTH; i++) {
		LLVMMetadataRef m;
		uint64_t step;

		type = type_strip(type);
		if (!type || (offset == 0 && (!size || LLVMDITypeGetSizeInBits(type) / 8 < size)))
			return;
		switch (extra_type_kind(type)) {
		case EXTRA_TYPE_STRUCT:
		case EXTRA_TYPE_UNION:
			if (offset == 0 && size > 8 && LLVMDITypeGetSizeInBits(type) / 8 == size)
				return; /* the whole of it */
			m = member_at(type, offset);
			if (!m)
				return;
			if (extra_name(m))
				strbuf_addf(b, "%s%s", b->n ? "." : "", extra_name(m));
			offset -= LLVMDITypeGetOffsetInBits(m) / 8;
			type = extra_type_of(m);
			break;
		case EXTRA_TYPE_ARRAY:
			if (offset == 0 && LLVMDITypeGetSizeInBits(type) / 8 == size)
				return;
			strbuf_adds(b, "[]");
			type = extra_type_of(type);
			step = type ? LLVMDITypeGetSizeInBits(type_strip(type)) / 8 : 0;
			offset = step ? offset % step : 0;
			break;
		default:
			return;
		}
	}
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
	LLVMTypeRef type = extra_gep_type(gep);
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

static struct place place_of(struct unit *u, LLVMValueRef p)
{
	struct place at = { .base = p };

	for (;;) {
		bool gep = LLVMIsAGetElementPtrInst(p) ||
			   (LLVMIsAConstantExpr(p) && LLVMGetConstOpcode(p) == LLVMGetElementPtr);
		uint64_t inner, offset;
		LLVMTypeRef type;

		at.base = p;
		if (!gep && escape_base(p) == p)
			return at;
		if (gep) {
			type = extra_gep_type(p);
			offset = gep_offset(u, p, &inner);
			if (LLVMGetTypeKind(type) == LLVMStructTypeKind &&
			    LLVMGetStructName(type)) {
				at.outer = type;
				at.outer_offset = at.offset + inner;
			}
			at.offset += offset;
			at.moved = true;
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

/* By the debug type of a local pointer: "account.balance", "*p", "p[]". */
static void add_through_local(struct strbuf *b, const struct place *at, uint64_t size)
{
	LLVMMetadataRef variable = extra_local_variable(at->base, false);
	LLVMMetadataRef type = variable ? type_strip(extra_type_of(variable)) : NULL;
	LLVMMetadataRef named;

	if (!type || extra_type_kind(type) != EXTRA_TYPE_POINTER || !extra_name(variable))
		return;
	named = extra_type_of(type);
	type = type_strip(named);
	if (type && (extra_type_kind(type) == EXTRA_TYPE_STRUCT ||
		     extra_type_kind(type) == EXTRA_TYPE_UNION)) {
		uint64_t whole = LLVMDITypeGetSizeInBits(type) / 8;

		if (extra_name(type) || extra_name(named))
			strbuf_adds(b, extra_name(extra_name(type) ? type : named));
		add_path(b, type, whole ? at->offset % whole : 0, size);
	} else if (at->moved) {
		strbuf_addf(b, "%s[]", extra_name(variable));
	} else {
		strbuf_addf(b, "*%s", extra_name(variable));
	}
}

static void add_through_pointer(struct unit *u, struct strbuf *b, LLVMValueRef inst,
				const struct place *at, uint64_t size)
{
	uint64_t offset = 0;
	LLVMMetadataRef type = struct_of_alias(u, inst, &offset);

	if (at->outer && (!type || extra_type_kind(type) == EXTRA_TYPE_UNION)) {
		type = struct_of_type(u, at->outer);
		offset = at->outer_offset;
	}
	if (!type) {
		add_through_local(b, at, size);
		return;
	}
	if (extra_name(type))
		strbuf_adds(b, extra_name(type));
	else if (at->outer && strchr(LLVMGetStructName(at->outer), '.'))
		strbuf_adds(b, strchr(LLVMGetStructName(at->outer), '.') + 1);
	add_path(b, type, offset, size);
}

void names_add_global(struct strbuf *b, LLVMValueRef global, LLVMMetadataRef variable)
{
	size_t n;
	const char *name = LLVMGetValueName2(global, &n);

	if (variable && extra_name(variable) && unit_has_prefix(name, "_Z"))
		names_add_qualified(b, variable, "::");
	else
		strbuf_adds(b, name);
}

static void add_variable(struct unit *u, struct strbuf *b, const struct record *r,
			 const struct place *at, uint64_t size)
{
	LLVMMetadataRef variable;

	if (LLVMIsAGlobalVariable(at->base)) {
		variable = names_global(at->base);
		names_add_global(b, at->base, variable);
	} else if (LLVMIsAAllocaInst(at->base)) {
		variable = extra_local_variable(at->base, true);
		if (variable && extra_name(variable))
			strbuf_adds(b, extra_name(variable));
	} else {
		add_through_pointer(u, b, r->inst, at, size);
		return;
	}
	if (variable && b->n)
		add_path(b, extra_type_of(variable), at->offset, size);
}

uint32_t names_variable(struct function *f, const struct record *r)
{
	struct unit *u = f->unit;
	struct strbuf b = { 0 };
	struct place at;
	uint64_t size = 0;
	uint32_t id;

	switch (r->action) {
	case ACT_READ:
	case ACT_WRITE:
	case ACT_RMW:
	case ACT_CAS:
		at = place_of(u, plan_pointer(r->inst));
		size = LLVMStoreSizeOfType(u->layout, plan_type(r->inst));
		break;
	case ACT_COPY:
	case ACT_PUT:
	case ACT_FILL:
	case ACT_FETCH:
		at = place_of(u, LLVMGetOperand(r->inst, r->action == ACT_FETCH ? 1 : 0));
		if (LLVMIsAConstantInt(LLVMGetOperand(r->inst, 2)))
			size = LLVMConstIntGetZExtValue(LLVMGetOperand(r->inst, 2));
		break;
	default:
		return 0;
	}
	add_variable(u, &b, r, &at, size);
	id = unit_string(u, strbuf_str(&b));
	strbuf_release(&b);
	return id;
}
