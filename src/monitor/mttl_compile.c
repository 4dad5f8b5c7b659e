/*
 * Trees of a spec to nodes, terms and bits.
 *
 * A name stands for a thread: the formula's own is name 0, those of quantifiers are numbered from outside.  Each
 * node is asked which names of outside its value depends on.  What has to be kept for each of them, a term that
 * others know or the bit of a temporal operator, may depend on one name only: then there is a value for each
 * thread, and not for each pair.  In the formula itself name 0 is no such name: there it is the thread whose
 * state it is.
 */
#include "base/common.h"
#include "monitor/mttl.h"

struct compile {
	const struct spec *s;
	struct diag *d;
	const struct spec_property *property;
	unsigned nterm;	       /* how many @ are around */
	unsigned nquantifiers; /* likewise */
	bool until;	       /* a condition to wait for: it has no past */
	VEC(struct know_node) nodes;
	VEC(struct know_term) terms;
	struct know_program head;
	struct strbuf strings;
	uint32_t shared[SPEC_VARIABLES],
		local[SPEC_VARIABLES]; /* numbers, by variable of the spec */
};

/* Names that something depends on, a bit each. */
typedef uint32_t names;

/* What came of a tree: its node, or -1 after a complaint. */
static int64_t compile_form(struct compile *c, const struct spec_form *f, unsigned depth,
			    names *uses);

static int64_t node_add(struct compile *c, struct know_node n)
{
	*VEC_PUSH(&c->nodes) = n;
	return (int64_t)c->nodes.n - 1;
}

#define REFUSE(c, at, ...) (spec_complain((c)->s, at, (c)->d, __VA_ARGS__), -1)

static uint32_t string_add(struct compile *c, const char *text)
{
	uint32_t at = (uint32_t)c->strings.n;

	strbuf_add(&c->strings, text, strlen(text) + 1);
	return at;
}

/* ---- threads ---- */

/* Who a name of the spec is; -1 after a complaint. */
static int64_t who(struct compile *c, uint32_t index, const char *name, struct spec_spot at)
{
	if (index >= SPEC_WHO_BOUND) {
		if (index - SPEC_WHO_BOUND + 1 >= KNOW_NAMES)
			return REFUSE(c, at, "more than %u quantifiers around one another",
				      KNOW_NAMES - 1);
		return index - SPEC_WHO_BOUND + 1;
	}
	if (index == c->property->at)
		return 0;
	if (index == SPEC_WHO_ANY)
		return REFUSE(
			c, at,
			"'any' is many threads: write some(o : any, ...) or all(o : any, ...)");
	(void)name;
	return KNOW_CLASS + index + 1;
}

static uint8_t dim_of(names uses)
{
	return uses == 0 ? KNOW_FREE : (uint8_t)__builtin_ctz(uses);
}

/* At most one name. */
static bool dim_check(struct compile *c, names uses, struct spec_spot at)
{
	if ((uses & (uses - 1)) == 0)
		return true;
	spec_complain(
		c->s, at, c->d,
		"this depends on two threads at once, which would take a value for each pair of "
		"them in every vector: name one of them by 'thread', or split the property");
	return false;
}

/* Adds what stands under an @, which is node `root'; then the node that looks it up. */
static int64_t remote_add(struct compile *c, uint32_t index, const char *name, struct spec_spot at,
			  int64_t root, names inner, bool is_unsigned, names *uses)
{
	int64_t whom = who(c, index, name, at);
	struct know_term t = { .root = (uint32_t)root, .dim = dim_of(inner) };

	if (root < 0 || whom < 0 || !dim_check(c, inner, at))
		return -1;
	t.slot = t.dim == KNOW_FREE ? c->head.nplain++ : c->head.nwide++;
	*VEC_PUSH(&c->terms) = t;
	*uses |= inner;
	if (whom < (int64_t)KNOW_CLASS)
		*uses |= 1u << whom;
	return node_add(c, (struct know_node){ .op = KNOW_REMOTE,
					       .flags = is_unsigned ? KNOW_UNSIGNED : 0,
					       .index = (uint32_t)c->terms.n - 1,
					       .who = (uint32_t)whom });
}

/* ---- expressions ---- */

static bool is_wide_unsigned(const struct spec *s, const struct spec_expr *e)
{
	const struct spec_type *t;

	while (e->op == SPEC_REMOTE)
		e = e->a;
	if (e->op != SPEC_VARIABLE)
		return false;
	t = &s->variables[e->index].type;
	return t->size == 8 && !(t->kind == SPEC_INT && t->is_signed);
}

static int64_t compile_variable(struct compile *c, const struct spec_expr *e)
{
	const struct spec_variable *v = &c->s->variables[e->index];

	if (v->type.kind == SPEC_FLOAT)
		return REFUSE(c, e->spot, "'%s' is a floating-point number: mttl compares integers",
			      v->name);
	if (v->local)
		return node_add(
			c, (struct know_node){ .op = KNOW_LOCAL, .index = c->local[e->index] });
	return node_add(c, (struct know_node){ .op = KNOW_SHARED, .index = c->shared[e->index] });
}

static int64_t compile_expr(struct compile *c, const struct spec_expr *e, unsigned depth,
			    names *uses)
{
	static const uint8_t ops[] = {
		[SPEC_NEG] = KNOW_NEG, [SPEC_ADD] = KNOW_ADD, [SPEC_SUB] = KNOW_SUB,
		[SPEC_MUL] = KNOW_MUL, [SPEC_DIV] = KNOW_DIV, [SPEC_MOD] = KNOW_MOD,
		[SPEC_EQ] = KNOW_EQ,   [SPEC_NE] = KNOW_NE,   [SPEC_LT] = KNOW_LT,
		[SPEC_LE] = KNOW_LE,   [SPEC_GT] = KNOW_GT,   [SPEC_GE] = KNOW_GE,
	};
	int64_t a, b = 0;
	names inner = 0;

	if (depth > KNOW_DEPTH)
		return REFUSE(c, e->spot, "nested deeper than %u, which is all that mttl can",
			      KNOW_DEPTH);
	switch (e->op) {
	case SPEC_CONST:
		if (e->number.is_float)
			return REFUSE(c, e->spot, "mttl compares integers");
		return node_add(c,
				(struct know_node){ .op = KNOW_CONST,
						    .flags = e->number.is_big ? KNOW_UNSIGNED : 0,
						    .number = e->number.i });
	case SPEC_VARIABLE:
		return compile_variable(c, e);
	case SPEC_BLOCK:
		return node_add(c, (struct know_node){ .op = KNOW_BLOCK });
	case SPEC_TID:
		if (c->nterm)
			return REFUSE(
				c, e->spot,
				"'tid' under an @ would be the number of a thread that may not be "
				"known yet");
		return node_add(c, (struct know_node){ .op = KNOW_TID });
	case SPEC_REMOTE:
		c->nterm++;
		a = compile_expr(c, e->a, depth + 1, &inner);
		c->nterm--;
		return remote_add(c, e->index, e->name, e->spot, a, inner,
				  is_wide_unsigned(c->s, e), uses);
	default:
		break;
	}
	if ((e->op == SPEC_DIV || e->op == SPEC_MOD) &&
	    (e->b->op != SPEC_CONST || e->b->number.is_float || e->b->number.i == 0))
		return REFUSE(c, e->b->spot, "mttl divides by constants that are not 0 only");
	a = compile_expr(c, e->a, depth + 1, uses);
	if (a >= 0 && e->b)
		b = compile_expr(c, e->b, depth + 1, uses);
	if (a < 0 || b < 0)
		return -1;
	return node_add(c,
			(struct know_node){ .op = ops[e->op], .a = (uint32_t)a, .b = (uint32_t)b });
}

/* ---- formulas ---- */

/* How many temporal operators there are so far. */
static uint32_t bits_of(const struct compile *c)
{
	return c->head.nbits + c->head.nwide_bits;
}

static int64_t compile_quantifier(struct compile *c, const struct spec_form *f, unsigned depth,
				  names *uses)
{
	uint32_t bits = bits_of(c), name = ++c->nquantifiers;
	struct know_node n = { .op = f->op == SPEC_F_SOME ? KNOW_SOME : KNOW_ALL,
			       .name = (uint8_t)name,
			       .index = f->index == SPEC_WHO_ANY ? 0 : f->index + 1 };
	names inner = 0;
	int64_t a;

	if (name >= KNOW_NAMES)
		return REFUSE(c, f->spot, "more than %u quantifiers around one another",
			      KNOW_NAMES - 1);
	a = compile_form(c, f->a, depth + 1, &inner);
	c->nquantifiers--;
	if (a < 0)
		return -1;
	*uses |= inner & ~(1u << name);
	n.a = (uint32_t)a;
	n.flags = bits_of(c) != bits ? KNOW_HAS_BITS : 0;
	return node_add(c, n);
}

static int64_t compile_event(struct compile *c, const struct spec_form *f)
{
	const struct spec_event *e = &c->s->events[f->index];

	if (e->when)
		return REFUSE(c, f->spot,
			      "event '%s' has a condition: in mttl write it into the formula",
			      e->name);
	if (c->until)
		return REFUSE(c, f->spot, "a condition to wait for has no events");
	return node_add(c, (struct know_node){ .op = KNOW_EVENT, .index = f->index });
}

static int64_t compile_temporal(struct compile *c, const struct spec_form *f, uint8_t op, int64_t a,
				int64_t b, names inner)
{
	struct know_node n = { .op = op, .a = (uint32_t)a, .b = (uint32_t)b };

	if (c->until)
		return REFUSE(c, f->spot,
			      "a condition to wait for is about the present: no past in it");
	if (c->nterm == 0)
		inner &= ~1u;
	if (!dim_check(c, inner, f->spot))
		return -1;
	n.dim = dim_of(inner);
	n.index = n.dim == KNOW_FREE ? c->head.nbits++ : c->head.nwide_bits++;
	return node_add(c, n);
}

static int64_t compile_at(struct compile *c, const struct spec_form *f, unsigned depth, names *uses)
{
	names inner = 0;
	int64_t a;

	c->nterm++;
	a = compile_form(c, f->a, depth + 1, &inner);
	c->nterm--;
	return remote_add(c, f->index, f->name, f->spot, a, inner, false, uses);
}

static int64_t compile_form(struct compile *c, const struct spec_form *f, unsigned depth,
			    names *uses)
{
	static const uint8_t ops[SPEC_NFORMS] = {
		[SPEC_F_TRUE] = KNOW_TRUE,
		[SPEC_F_FALSE] = KNOW_FALSE,
		[SPEC_F_NOT] = KNOW_NOT,
		[SPEC_F_AND] = KNOW_AND,
		[SPEC_F_OR] = KNOW_OR,
		[SPEC_F_IMPLIES] = KNOW_IMPLIES,
		[SPEC_F_IFF] = KNOW_IFF,
		[SPEC_F_PREV] = KNOW_PREV,
		[SPEC_F_ONCE] = KNOW_ONCE,
		[SPEC_F_HIST] = KNOW_HIST,
		[SPEC_F_START] = KNOW_START,
		[SPEC_F_STOP] = KNOW_STOP,
		[SPEC_F_SINCE] = KNOW_SINCE,
		[SPEC_F_WSINCE] = KNOW_WSINCE,
		[SPEC_F_INTERVAL] = KNOW_INTERVAL,
		[SPEC_F_WINTERVAL] = KNOW_WINTERVAL,
	};
	names inner = 0;
	int64_t a = 0, b = 0;
	uint32_t bits;

	if (depth > KNOW_DEPTH)
		return REFUSE(c, f->spot, "nested deeper than %u, which is all that mttl can",
			      KNOW_DEPTH);
	if (f->op == SPEC_F_EXPR)
		return compile_expr(c, f->expr, depth + 1, uses);
	if (f->op == SPEC_F_EVENT)
		return compile_event(c, f);
	if (f->op == SPEC_F_AT)
		return compile_at(c, f, depth, uses);
	if (f->op == SPEC_F_SOME || f->op == SPEC_F_ALL)
		return compile_quantifier(c, f, depth, uses);
	if (f->a)
		a = compile_form(c, f->a, depth + 1, &inner);
	bits = bits_of(c);
	if (f->b && a >= 0)
		b = compile_form(c, f->b, depth + 1, &inner);
	if (a < 0 || b < 0)
		return -1;
	*uses |= inner;
	if (f->op >= SPEC_F_PREV && f->op <= SPEC_F_WINTERVAL)
		return compile_temporal(c, f, ops[f->op], a, b, inner);
	return node_add(c, (struct know_node){ .op = ops[f->op],
					       .flags = bits_of(c) != bits ? KNOW_HAS_BITS : 0,
					       .a = (uint32_t)a,
					       .b = (uint32_t)b });
}

/* ---- tables ---- */

static bool compile_property(struct compile *c, const struct spec_property *y,
			     struct know_property *out)
{
	static const uint8_t actions[] = {
		[SPEC_DO_LOG] = KNOW_DO_LOG,   [SPEC_DO_COUNT] = KNOW_DO_COUNT,
		[SPEC_DO_CALL] = KNOW_DO_CALL, [SPEC_DO_SET] = KNOW_DO_SET,
		[SPEC_DO_WAIT] = KNOW_DO_WAIT, [SPEC_DO_ABORT] = KNOW_DO_ABORT,
		[SPEC_DO_STOP] = KNOW_DO_STOP,
	};
	STRBUF_SCOPED text = { 0 };
	names uses = 0;
	int64_t root, until = 0;

	c->property = y;
	c->nterm = c->nquantifiers = 0;
	if (y->step != SPEC_STEP_AUTO)
		return spec_complain(
			       c->s, y->spot, c->d,
			       "property '%s' is mttl: every event of a thread is a step, and "
			       "'step' cannot be said",
			       y->name) == ST_OK;
	root = compile_form(c, y->form, 0, &uses);
	c->until = true;
	if (root >= 0 && y->until)
		until = compile_form(c, y->until, 0, &uses);
	c->until = false;
	if (root < 0 || until < 0)
		return false;
	spec_print_property(c->s, y, &text);
	*out = (struct know_property){ .name = string_add(c, y->name),
				       .root = (uint32_t)root,
				       .class = y->at == SPEC_WHO_ANY ? 0 : y->at + 1,
				       .action = y->has_action ? actions[y->action] : KNOW_DO_LOG,
				       .text = string_add(c, strbuf_str(&text)),
				       .handler = string_add(c, y->handler ? y->handler : ""),
				       .target = y->has_action && y->action == SPEC_DO_SET
							 ? c->shared[y->target]
							 : 0,
				       .until = (uint32_t)until,
				       .limit = y->until ? (uint32_t)y->number.i : 0,
				       .line = y->spot.line,
				       .value = y->number.i };
	return true;
}

static void class_fill(struct compile *c, const struct spec_thread *t, struct know_class *out)
{
	out->kind = t->is_number ? KNOW_NUMBER : KNOW_NAMED;
	out->name = string_add(c, t->is_number ? "" : t->routine);
	out->said = string_add(c, t->name);
	out->number = t->number;
}

/* Whoever is there, or that thread; one that is named by its number alone is not declared. */
static uint32_t class_of(const struct spec_arg *a)
{
	return a->thread >= 0 ? (uint32_t)a->thread + 1 : 0;
}

static void event_fill(struct compile *c, const struct spec_event *e, struct know_event *out)
{
	bool object = e->op <= SPEC_REL, thread = e->op == SPEC_FORK || e->op == SPEC_JOIN;

	out->op = e->op;
	out->name = string_add(
		c, !object && !thread && e->nargs && e->args[0].name ? e->args[0].name : "");
	out->object = -1;
	out->by = e->by >= 0 ? (uint32_t)e->by + 1 : 0;
	out->other = thread && e->nargs ? class_of(&e->args[0]) : 0;
	for (uint32_t i = thread && e->nargs && !out->other ? 0 : 1; i < e->nargs && !object; i++)
		if (e->args[i].is_number && out->nargs < KNOW_ARGS)
			out->args[out->nargs++] = e->args[i].number.i;
}

static void variable_fill(struct compile *c, const char *name, struct know_variable *out)
{
	*out = (struct know_variable){ .name = string_add(c, name),
				       .global = KNOW_UNBOUND,
				       .size = 8 };
}

/* Shared variables first; then what only patterns name. */
static void places_fill(struct compile *c, struct know_variable *at, struct know_event *events)
{
	const struct spec *s = c->s;

	for (uint32_t i = 0; i < s->nvariables; i++) {
		const struct spec_variable *v = &s->variables[i];
		struct know_variable *k = &at[c->shared[i]];

		if (v->local)
			continue;
		variable_fill(c, v->name, k);
		k->size = v->type.size;
		k->is_signed = v->type.kind == SPEC_INT && v->type.is_signed;
		k->initial = v->has_initial && !v->initial.is_float ? (uint64_t)v->initial.i : 0;
	}
	for (uint32_t i = 0; i < s->nevents; i++) {
		const struct spec_event *e = &s->events[i];
		bool is_lock = e->op == SPEC_ACQ || e->op == SPEC_REL;
		struct know_variable *k;

		if (e->op > SPEC_REL || e->nargs == 0) {
			c->head.any[e->op] |= e->op <= SPEC_REL ? UINT64_C(1) << i : 0;
			continue;
		}
		if (e->variable >= 0 && !is_lock) {
			events[i].object = (int32_t)c->shared[e->variable];
		} else {
			variable_fill(c, e->args[0].name, &at[c->head.nplaces]);
			at[c->head.nplaces].is_lock = is_lock;
			events[i].object = (int32_t)c->head.nplaces++;
		}
		k = &at[events[i].object];
		*(e->op == SPEC_READ	? &k->reads
		  : e->op == SPEC_WRITE ? &k->writes
		  : e->op == SPEC_ACQ	? &k->acquires
					: &k->releases) |= UINT64_C(1) << i;
	}
}

static void number_variables(struct compile *c)
{
	for (uint32_t i = 0; i < c->s->nvariables; i++) {
		if (c->s->variables[i].local)
			c->local[i] = c->head.nlocals++;
		else
			c->shared[i] = c->head.nvariables++;
	}
	c->head.nplaces = c->head.nvariables;
}

/* ---- all ---- */

static uint32_t table_put(struct strbuf *out, const void *at, size_t n)
{
	uint32_t from = (uint32_t)out->n;

	if (n)
		strbuf_add(out, at, n);
	while (out->n % 8)
		strbuf_add(out, "", 1);
	return from;
}

_Static_assert(SPEC_VARIABLES + SPEC_EVENTS <= KNOW_PLACES, "a program has no more places");

struct tables {
	struct know_property properties[SPEC_PROPERTIES];
	struct know_variable places[SPEC_VARIABLES + SPEC_EVENTS];
	struct know_local locals[SPEC_VARIABLES];
	struct know_event events[SPEC_EVENTS];
	struct know_class classes[SPEC_THREADS + 1];
};

static void pack(struct compile *c, const struct tables *t, struct strbuf *out)
{
	struct know_program *h = &c->head;

	strbuf_add(out, (const char *)h, sizeof(*h));
	h->nnodes = (uint32_t)c->nodes.n;
	h->nterms = (uint32_t)c->terms.n;
	h->nodes = table_put(out, c->nodes.at, c->nodes.n * sizeof(*c->nodes.at));
	h->terms = table_put(out, c->terms.at, c->terms.n * sizeof(*c->terms.at));
	h->properties = table_put(out, t->properties, h->nproperties * sizeof(*t->properties));
	h->variables = table_put(out, t->places, h->nplaces * sizeof(*t->places));
	h->locals = table_put(out, t->locals, h->nlocals * sizeof(*t->locals));
	h->events = table_put(out, t->events, h->nevents * sizeof(*t->events));
	h->classes = table_put(out, t->classes, h->nclasses * sizeof(*t->classes));
	h->strings = table_put(out, c->strings.at, c->strings.n);
	h->bytes = out->n;
	h->magic = KNOW_MAGIC;
	memcpy(out->at, h, sizeof(*h));
}

static bool compile_all(struct compile *c, struct tables *t)
{
	const struct spec *s = c->s;

	string_add(c, "");
	c->head.path = string_add(c, s->path);
	c->head.flow_all = s->flow_all;
	number_variables(c);
	for (uint32_t i = 0; i < s->nvariables; i++)
		if (s->variables[i].local)
			t->locals[c->local[i]] =
				(struct know_local){ .name = string_add(c, s->variables[i].name),
						     .initial = s->variables[i].has_initial
									? s->variables[i].initial.i
									: 0 };
	t->classes[0].said = string_add(c, "any");
	for (uint32_t i = 0; i < s->nthreads; i++)
		class_fill(c, &s->threads[i], &t->classes[i + 1]);
	c->head.nclasses = s->nthreads + 1;
	if (c->head.nclasses > 64) {
		spec_complain(s, s->threads[63].spot, c->d, "mttl knows 63 threads by name");
		return false;
	}
	for (uint32_t i = 0; i < s->nevents; i++)
		event_fill(c, &s->events[i], &t->events[i]);
	c->head.nevents = s->nevents;
	places_fill(c, t->places, t->events);
	for (uint32_t i = 0; i < s->nproperties; i++)
		if (s->properties[i].body == SPEC_MTTL &&
		    !compile_property(c, &s->properties[i], &t->properties[c->head.nproperties++]))
			return false;
	return true;
}

enum status mttl_compile(const struct spec *s, struct know_program **out, struct diag *d)
{
	struct compile c = { .s = s, .d = d };
	struct tables *t = mem_zalloc(sizeof(*t));
	struct strbuf all = { 0 };
	bool good = compile_all(&c, t);

	*out = NULL;
	if (good) {
		pack(&c, t, &all);
		*out = (struct know_program *)all.at;
	}
	VEC_RELEASE_ALL(&c.nodes, &c.terms);
	strbuf_release(&c.strings);
	mem_free(t);
	return good ? ST_OK : ST_BAD_INPUT;
}

uint32_t mttl_count(const struct spec *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; s && i < s->nproperties; i++)
		n += s->properties[i].body == SPEC_MTTL;
	return n;
}

const struct spec_property *mttl_property(const struct spec *s, uint32_t i)
{
	for (uint32_t k = 0; k < s->nproperties; k++)
		if (s->properties[k].body == SPEC_MTTL && i-- == 0)
			return &s->properties[k];
	BUG("the spec has not so many mttl properties");
}

void mttl_describe(const struct know_program *p, struct strbuf *out)
{
	strbuf_addf(out, "%u remote term%s, %u for each pair of threads; %u bit%s", p->nterms,
		    p->nterms == 1 ? "" : "s", p->nwide, p->nbits + p->nwide_bits,
		    p->nbits + p->nwide_bits == 1 ? "" : "s");
}
