/*
 * Rows of the site table.  Until tables.c writes them out, the strings of a
 * row are ids of the unit's string table instead of pointers.
 */
#include "instrument/unit_priv.h"

static const char *id_as_pointer(uint32_t id)
{
	return (const char *)(uintptr_t)id;
}

static uint32_t inlined_site(struct function *f, LLVMMetadataRef location);

static void set_location(struct function *f, struct foresee_site *s, LLVMMetadataRef location)
{
	struct unit *u = f->unit;
	LLVMMetadataRef scope =
		location ? LLVMDILocationGetScope(location) : LLVMGetSubprogram(f->value);
	LLVMMetadataRef file = scope ? LLVMDIScopeGetFile(scope) : NULL;
	LLVMMetadataRef within = location ? LLVMDILocationGetInlinedAt(location) : NULL;
	size_t n;

	if (location) {
		unsigned column = LLVMDILocationGetColumn(location);

		s->line = LLVMDILocationGetLine(location);
		s->column = column <= UINT16_MAX ? (uint16_t)column : 0;
	}
	s->file = id_as_pointer(file ? names_file(u, file)
				     : unit_string(u, LLVMGetSourceFileName(u->module, &n)));
	s->function = id_as_pointer(scope ? names_function(u, extra_subprogram(scope))
					  : unit_string(u, unit_name(f->value)));
	if (within)
		s->inlined = inlined_site(f, within);
}

static uint32_t site_push(struct unit *u, const struct foresee_site *s)
{
	*VEC_PUSH(&u->sites) = *s;
	return (uint32_t)u->sites.n - 1;
}

/* The site of the call that was inlined, from which this code comes. */
static uint32_t inlined_site(struct function *f, LLVMMetadataRef location)
{
	struct foresee_site s = { .kind = FORESEE_SITE_CALL };
	uint64_t *known = map_get(&f->unit->inlined, (uintptr_t)location);
	uint32_t row;

	if (known)
		return (uint32_t)*known;
	set_location(f, &s, location);
	row = site_push(f->unit, &s);
	*map_put(&f->unit->inlined, (uintptr_t)location, NULL) = row;
	return row;
}

static bool has_line(LLVMMetadataRef location)
{
	return location && LLVMDILocationGetLine(location);
}

/* Is it a line of the same function as `like' (or f, if that is NULL), inlined along the same calls? */
static bool is_alike(const struct function *f, LLVMMetadataRef location, LLVMMetadataRef like)
{
	LLVMMetadataRef scope = like ? LLVMDILocationGetScope(like) : LLVMGetSubprogram(f->value);

	return has_line(location) && scope &&
	       LLVMDILocationGetInlinedAt(location) ==
		       (like ? LLVMDILocationGetInlinedAt(like) : NULL) &&
	       extra_subprogram(LLVMDILocationGetScope(location)) == extra_subprogram(scope);
}

#define NEAR_STEPS 1000 /* instructions that are looked at, each way */

/* The instruction before or after it in the layout of the function; NULL of NULL, and at its ends. */
static LLVMValueRef step(LLVMValueRef inst, bool back)
{
	LLVMBasicBlockRef block = inst ? LLVMGetInstructionParent(inst) : NULL;

	if (inst)
		inst = back ? LLVMGetPreviousInstruction(inst) : LLVMGetNextInstruction(inst);
	while (!inst && block) {
		block = back ? LLVMGetPreviousBasicBlock(block) : LLVMGetNextBasicBlock(block);
		if (block)
			inst = back ? LLVMGetLastInstruction(block)
				    : LLVMGetFirstInstruction(block);
	}
	return inst;
}

/* The nearest one that has a line, by the layout of the function. */
static LLVMMetadataRef location_near(const struct function *f, LLVMValueRef inst,
				     LLVMMetadataRef own)
{
	LLVMValueRef before = inst, after = inst;

	for (int i = 0; i < NEAR_STEPS && (before || after); i++) {
		LLVMMetadataRef at;

		before = step(before, true);
		after = step(after, false);
		if (before && is_alike(f, at = LLVMInstructionGetDebugLoc(before), own))
			return at;
		if (after && is_alike(f, at = LLVMInstructionGetDebugLoc(after), own))
			return at;
	}
	return NULL;
}

/* One that uses its value. */
static LLVMMetadataRef location_user(const struct function *f, LLVMValueRef inst,
				     LLVMMetadataRef own)
{
	for (LLVMUseRef use = LLVMGetFirstUse(inst); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		LLVMMetadataRef its =
			LLVMIsAInstruction(user) ? LLVMInstructionGetDebugLoc(user) : NULL;

		if (is_alike(f, its, own))
			return its;
	}
	return NULL;
}

/*
 * Code that the optimiser has moved may have lost its line.  Then the line of its first user is taken,
 * or the nearest one, or that where the function begins; and the site is marked (SITE_NEAR).
 */
static void set_location_near(struct function *f, struct foresee_site *s, LLVMValueRef inst)
{
	LLVMMetadataRef own = LLVMInstructionGetDebugLoc(inst), other = NULL, function;

	if (!has_line(own)) {
		other = location_user(f, inst, own);
		if (!other)
			other = location_near(f, inst, own);
	}
	set_location(f, s, other ? other : own);
	function =
		own ? extra_subprogram(LLVMDILocationGetScope(own)) : LLVMGetSubprogram(f->value);
	if (s->line == 0 && function)
		s->line = LLVMDISubprogramGetLine(function);
	if (!has_line(own) && s->line != 0)
		s->flags |= FORESEE_SITE_NEAR;
}

static uint32_t access_size(const struct unit *u, const struct record *r)
{
	LLVMValueRef n = LLVMGetOperand(r->inst, 2);

	if (r->action <= ACT_CAS)
		return (uint32_t)LLVMStoreSizeOfType(u->layout, plan_type(r->inst));
	return LLVMIsAConstantInt(n) && LLVMConstIntGetZExtValue(n) <= UINT32_MAX
		       ? (uint32_t)LLVMConstIntGetZExtValue(n)
		       : 0;
}

static uint8_t kind_of(const struct unit *u, const struct record *r)
{
	static const uint8_t kinds[] = {
		[ACT_READ] = FORESEE_SITE_READ,	  [ACT_WRITE] = FORESEE_SITE_WRITE,
		[ACT_RMW] = FORESEE_SITE_ATOMIC,  [ACT_CAS] = FORESEE_SITE_ATOMIC,
		[ACT_FENCE] = FORESEE_SITE_FENCE, [ACT_COPY] = FORESEE_SITE_RANGE,
		[ACT_FETCH] = FORESEE_SITE_RANGE, [ACT_PUT] = FORESEE_SITE_RANGE,
		[ACT_FILL] = FORESEE_SITE_RANGE,  [ACT_CALL] = FORESEE_SITE_CALL,
		[ACT_UNSEEN] = FORESEE_SITE_CALL,
	};

	if (plan_is_atomic_access(r))
		return FORESEE_SITE_ATOMIC;
	if (r->action <= ACT_WRITE && !plan_scalar_size(u, plan_type(r->inst)))
		return FORESEE_SITE_RANGE;
	return kinds[r->action];
}

static void add_use(struct function *f, struct late_use *use)
{
	const struct record *r = &f->records.at[use->record];
	struct foresee_site s = { .kind = FORESEE_SITE_NONE };

	set_location_near(f, &s, use->at);
	s.variable = id_as_pointer(paths_variable(f, r));
	s.tests = id_as_pointer(r->tests);
	use->site = site_push(f->unit, &s);
}

static bool only_asks(const struct record *r)
{
	return (r->action == ACT_READ || r->action == ACT_RMW || r->action == ACT_CAS) &&
	       looks_is(r->inst);
}

void sites_add(struct function *f)
{
	struct unit *u = f->unit;

	for (size_t i = 0; i < f->records.n; i++) {
		struct record *r = &f->records.at[i];
		struct foresee_site s = { .kind = kind_of(u, r), .feeds = r->feeds };

		set_location_near(f, &s, r->inst);
		s.variable = id_as_pointer(paths_variable(f, r));
		if (s.kind != FORESEE_SITE_CALL && s.kind != FORESEE_SITE_FENCE)
			s.size = access_size(u, r);
		if (r->keeps)
			s.keeper = (uint16_t)(r->keeper + 1);
		s.tests = id_as_pointer(r->late ? 0 : r->tests);
		s.flags |= (uint8_t)((r->free ? FORESEE_SITE_FREE : 0) |
				     (r->feeds ? FORESEE_SITE_FED : 0) |
				     (only_asks(r) ? FORESEE_SITE_LOOKS : 0) |
				     (r->is_volatile ? FORESEE_SITE_VOLATILE : 0));
		if (r->action == ACT_CALL)
			calls_add_said(u, r->inst, &s);
		r->site = site_push(u, &s);
	}
	for (size_t i = 0; i < f->uses.n; i++)
		add_use(f, &f->uses.at[i]);
}

uint32_t sites_add_local(struct function *f, LLVMValueRef local, LLVMValueRef at)
{
	struct foresee_site s = { .kind = FORESEE_SITE_NONE };

	set_location(f, &s, LLVMInstructionGetDebugLoc(at));
	s.variable = id_as_pointer(unit_string(f->unit, unit_name(local)));
	return site_push(f->unit, &s);
}

uint32_t sites_add_entry(struct unit *u, const char *function)
{
	struct foresee_site s = { .kind = FORESEE_SITE_ENTRY };
	size_t n;

	s.file = id_as_pointer(unit_string(u, LLVMGetSourceFileName(u->module, &n)));
	s.function = id_as_pointer(unit_string(u, function));
	return site_push(u, &s);
}

LLVMValueRef sites_number(struct function *f, uint32_t site)
{
	struct unit *u = f->unit;

	return LLVMBuildAdd(u->builder, f->base, unit_int(u->i32, site), "");
}
