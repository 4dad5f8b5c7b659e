#include "finding/finding.h"

static const struct {
	const char *name, *title;
} kinds[] = {
#define X(id, name, title) { name, title },
	FINDING_KINDS(X)
#undef X
};

const char *finding_kind_name(enum finding_kind k)
{
	assert(k < FINDING_NKINDS);
	return kinds[k].name;
}

const char *finding_kind_title(enum finding_kind k)
{
	assert(k < FINDING_NKINDS);
	return kinds[k].title;
}

const char *finding_block_name(enum finding_block b)
{
	static const char *const names[] = {
#define X(id, name) [FINDING_BLOCK_##id] = name,
		FINDING_BLOCKS(X)
#undef X
	};

	assert(b < FINDING_NBLOCKS);
	return names[b];
}

const char *finding_status_name(enum finding_status s)
{
	static const char *const names[] = { "warning", "predicted", "replayed", "observed" };

	assert(s <= FINDING_OBSERVED);
	return names[s];
}

static void finding_release(struct finding *f)
{
	schedule_release(&f->schedule);
	VEC_RELEASE_ALL(&f->stray, &f->tainted, &f->cut);
}

void findings_release(struct findings *f)
{
	for (size_t i = 0; i < f->at.n; i++)
		finding_release(&f->at.at[i]);
	VEC_RELEASE(&f->at);
	texts_release(&f->words);
}

struct finding *findings_add(struct findings *f, enum finding_kind kind,
			     const struct engine *engine)
{
	struct finding *new = VEC_PUSH(&f->at);

	*new = (struct finding){ .kind = kind, .engine = engine };
	return new;
}

void finding_add_event(struct finding *f, uint64_t pos, uint32_t site, uint8_t op)
{
	uint32_t at = f->nevents++;

	assert(at < FINDING_EVENTS);
	for (; at > 0 && f->events[at - 1] > pos; at--) {
		f->events[at] = f->events[at - 1];
		f->sites[at] = f->sites[at - 1];
		f->ops[at] = f->ops[at - 1];
	}
	assert(at == 0 || f->events[at - 1] != pos);
	f->events[at] = pos;
	f->sites[at] = site;
	f->ops[at] = op;
}

struct finding *findings_add_property(struct findings *f, enum finding_kind kind,
				      const struct engine *engine, const char *name)
{
	struct finding *new = findings_add(f, kind, engine);

	assert(finding_is_property(new));
	new->property = texts_add(&f->words, "%s", name);
	return new;
}

static uint64_t mix(uint64_t x)
{
	return hash_pair(x ^ x >> 31, 0);
}

/* A sum of hashes does not know the order of what it adds. */
uint64_t finding_signature_of(enum finding_kind kind, const uint64_t *places, uint32_t n)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += mix(places[i]);
	return mix(sum + kind);
}

uint64_t finding_signature(const struct finding *f)
{
	uint64_t places[FINDING_EVENTS] = { 0 };

	for (uint32_t i = 0; i < f->nevents; i++)
		places[i] = f->sites[i];
	if (!f->property)
		return finding_signature_of(f->kind, places, f->nevents);
	places[0] = 0;
	for (const char *c = f->property; *c; c++)
		places[0] = mix(places[0] + (unsigned char)*c);
	return finding_signature_of(f->kind, places, 1);
}

void findings_move(struct findings *into, struct findings *from)
{
	VEC_APPEND(&into->at, from->at.at, from->at.n);
	texts_move(&into->words, &from->words);
	VEC_RELEASE(&from->at);
}

bool findings_any(const struct findings *f, bool (*is)(const struct finding *f))
{
	for (size_t i = 0; i < f->at.n; i++)
		if (is(&f->at.at[i]))
			return true;
	return false;
}

void findings_drop_last(struct findings *f)
{
	finding_release(&f->at.at[--f->at.n]);
}

void findings_keep(struct findings *f, bool (*keep)(void *arg, const struct finding *f), void *arg)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->at.n; i++) {
		if (keep(arg, &f->at.at[i]))
			f->at.at[kept++] = f->at.at[i];
		else
			finding_release(&f->at.at[i]);
	}
	f->at.n = kept;
}

/* Surest first, and of warnings those that come with a schedule; then by kind, by score and
 * position; then as they were found (id). */
static int compare(const void *p, const void *q)
{
	const struct finding *a = p, *b = q;

	int order = SORT_ORDER(b->status, a->status) ?: SORT_ORDER(b->claimed, a->claimed) ?:
		    SORT_ORDER(a->kind, b->kind) ?: SORT_ORDER(b->score, a->score);

	for (uint32_t i = 0; !order && i < a->nevents && i < b->nevents; i++)
		order = SORT_ORDER(a->events[i], b->events[i]);
	order = order ?: SORT_ORDER(a->nevents, b->nevents);
	if (!order && a->property && b->property)
		order = strcmp(a->property, b->property);
	return order ?: SORT_ORDER(a->id, b->id);
}

/* What has been met of `dropped' counts for `kept', each analysis for itself. */
static void absorb(struct finding *kept, struct finding *dropped)
{
	uint64_t more = dropped->more;

	if (kept->engine == dropped->engine)
		kept->more += more + 1;
	else if (kept->more < more)
		kept->more = more;
	finding_release(dropped);
}

void findings_settle(struct findings *f, bool all)
{
	struct map first = { 0 }; /* signature, to index among those kept */
	size_t kept = 0;

	for (size_t i = 0; i < f->at.n; i++)
		f->at.at[i].id = (uint32_t)i;
	SORT_VEC(&f->at, compare);
	for (size_t i = 0; i < f->at.n; i++) {
		struct finding *now = &f->at.at[i];
		bool fresh = true;
		uint64_t *index = NULL;

		if (!all)
			index = map_put(&first, finding_signature(now), &fresh);
		if (!fresh) {
			absorb(&f->at.at[*index], now);
			continue;
		}
		if (index)
			*index = kept;
		f->at.at[kept] = *now;
		f->at.at[kept].id = (uint32_t)kept + 1;
		kept++;
	}
	f->at.n = kept;
	map_release(&first);
}
