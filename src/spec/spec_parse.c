/*
 * Recursive descent: the words and names that everything is made of, declarations, properties.
 *
 *	spec = { shared | local | event | relevant | thread | flow | property }
 *
 * Names may be used before they are declared: they are looked up at the end.
 */

#include "base/near.h"
#include "spec/spec_priv.h"

/* ---- tokens ---- */

static bool is(const struct spec_token *t, const char *text)
{
	return strlen(text) == t->n && memcmp(t->at, text, t->n) == 0;
}

bool spec_is(const struct spec_parser *p, const char *text)
{
	return is(&p->token, text);
}

bool spec_is_followed(struct spec_parser *p, const char *text)
{
	struct spec_token next = spec_lex_peek(p);

	return is(&next, text);
}

/* What people write who think of other languages. */
static const char *slip_find(const struct spec_parser *p)
{
	static const char *const slips[][2] = { { "=", "==" },	      { "&", "&&" },
						{ "|", "||" },	      { "and", "&&" },
						{ "or", "||" },	      { "not", "!" },
						{ "always", "hist" }, { "eventually", "once" } };

	for (size_t i = 0; i < sizeof(slips) / sizeof(slips[0]); i++)
		if (spec_is(p, slips[i][0]))
			return slips[i][1];
	return NULL;
}

bool spec_expected(struct spec_parser *p, const char *what)
{
	const struct spec_token *t = &p->token;
	const char *more = t->n > 40 ? "..." : "";
	int n = t->n > 40 ? 40 : (int)t->n;
	const char *slip =
		strstr(what, "operator") || strstr(what, "formula") ? slip_find(p) : NULL;

	if (t->kind == SPEC_T_END)
		return spec_fail(p, t->spot, "expected %s, found the end of the file", what);
	if (t->kind == SPEC_T_STRING)
		return spec_fail(p, t->spot, "expected %s, found %.*s%s", what, n, t->at, more);
	return spec_fail(p, t->spot, "expected %s, found '%.*s%s'%s%s%s", what, n, t->at, more,
			 slip ? ", did you mean '" : "", slip ? slip : "", slip ? "'?" : "");
}

bool spec_unknown(struct spec_parser *p, struct spec_spot at, const char *what, const char *name,
		  const char *tail, const char *const *names, size_t n, const char *hint)
{
	const char *near = near_find(name, names, n);

	if (near)
		return spec_fail(p, at, "%s '%.64s'%s, did you mean '%s'?", what, name, tail, near);
	return spec_fail(p, at, "%s '%.64s'%s%s", what, name, tail, hint);
}

bool spec_unknown_word(struct spec_parser *p, const char *what, const char *const *words, size_t n,
		       const char *expected)
{
	char word[NEAR_WORD + 1] = "";

	if (p->token.kind == SPEC_T_WORD && p->token.n <= NEAR_WORD)
		memcpy(word, p->token.at, p->token.n);
	if (!near_find(word, words, n))
		return spec_expected(p, expected);
	return spec_unknown(p, p->token.spot, what, word, "", words, n, "");
}

bool spec_take(struct spec_parser *p, const char *text)
{
	if (!spec_is(p, text))
		return false;
	spec_lex(p);
	return true;
}

bool spec_need(struct spec_parser *p, const char *text, const char *what)
{
	return spec_take(p, text) || spec_expected(p, what);
}

/* ---- limits ---- */

/* Each node of a printed tree takes two calls at most, parentheses and an operator. */
bool spec_nest(struct spec_parser *p)
{
	if (++p->nesting <= 2 * SPEC_DEPTH + 8)
		return true;
	return spec_fail(p, p->token.spot, "nested deeper than %d", SPEC_DEPTH);
}

bool spec_grow(struct spec_parser *p, struct spec_spot spot, unsigned depth)
{
	if (++p->nodes > SPEC_NODES)
		return spec_fail(p, spot, "more than %d operators and operands", SPEC_NODES);
	if (depth > SPEC_DEPTH)
		return spec_fail(
			p, spot,
			"nested deeper than %d: a row of operators nests too, put parentheses "
			"around parts of it",
			SPEC_DEPTH);
	return true;
}

/* ---- names ---- */

/* These mean something wherever a name of the spec may stand. */
static const char *const reserved[] = { "true",	  "false", "NULL",  "tid",    "prev",
					"once",	  "hist",  "start", "end",    "since",
					"wsince", "never", "must",  "handler" };

bool spec_is_reserved(const char *word, size_t n)
{
	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		if (strlen(reserved[i]) == n && memcmp(word, reserved[i], n) == 0)
			return true;
	return false;
}

bool spec_parse_word(struct spec_parser *p, const char *what, bool declared, const char **out)
{
	struct spec_spot at = p->token.spot;

	if (p->token.kind != SPEC_T_WORD)
		return spec_expected(p, what);
	*out = spec_copy(p->spec, p->token.at, p->token.n);
	spec_lex(p);
	if (!declared || !spec_is_reserved(*out, strlen(*out)))
		return true;
	return spec_fail(p, at, "'%s' is a word of the language and cannot be %s", *out, what);
}

/* ident { "::" ident } { "." ident | "[" number "]" }; *plain: names and dots alone, as of a file. */
static bool parse_path(struct spec_parser *p, const char *what, struct strbuf *name, bool *plain)
{
	*plain = true;
	if (p->token.kind != SPEC_T_WORD)
		return spec_expected(p, what);
	while (spec_is_followed(p, "::")) {
		strbuf_add(name, p->token.at, p->token.n);
		strbuf_adds(name, "::");
		spec_lex(p);
		spec_lex(p);
		if (p->token.kind != SPEC_T_WORD)
			return spec_expected(p, "a name of that scope");
		*plain = false;
	}
	for (;;) {
		strbuf_add(name, p->token.at, p->token.n);
		spec_lex(p);
		while (spec_take(p, "[")) {
			struct spec_number *i = &p->token.number;

			if (p->token.kind != SPEC_T_NUMBER || i->is_float ||
			    (!i->is_big && i->i < 0))
				return spec_expected(p, "the number of an element");
			strbuf_addf(name, "[%lld]", (long long)i->i);
			spec_lex(p);
			if (!spec_need(p, "]", "']'"))
				return false;
			*plain = false;
		}
		if (!spec_take(p, "."))
			return true;
		strbuf_adds(name, ".");
		if (p->token.kind != SPEC_T_WORD)
			return spec_expected(p, "the name of a member");
	}
}

static bool parse_lvalue(struct spec_parser *p, const char *what, struct strbuf *name)
{
	bool plain;

	if (spec_take(p, "@")) {
		if (p->token.kind != SPEC_T_WORD)
			return spec_expected(p, "a symbol of the program");
		strbuf_adds(name, "@");
		strbuf_add(name, p->token.at, p->token.n);
		spec_lex(p);
		return true;
	}
	if (p->token.kind == SPEC_T_STRING) {
		strbuf_adds(name, p->token.string);
		spec_lex(p);
		if (!spec_is(p, ":"))
			return spec_expected(p, "':' after the name of a file");
	} else if (!parse_path(p, what, name, &plain)) {
		return false;
	} else if (!plain || !spec_is(p, ":")) {
		return true;
	}
	spec_lex(p);
	strbuf_adds(name, ":");
	return parse_path(p, "a variable of that file", name, &plain);
}

bool spec_parse_lvalue(struct spec_parser *p, const char *what, const char **out)
{
	STRBUF_SCOPED name = { 0 };
	bool good = parse_lvalue(p, what, &name);

	if (good)
		*out = spec_copy(p->spec, strbuf_str(&name), name.n);
	return good;
}

void spec_use(struct spec_parser *p, enum spec_use_kind kind, const char *name,
	      struct spec_spot spot, uint32_t *number)
{
	*VEC_PUSH(&p->uses) = (struct spec_use){ kind, name, spot, number };
}

bool spec_parse_constant(struct spec_parser *p, struct spec_number *out)
{
	struct spec_spot at = p->token.spot;
	bool negative = spec_take(p, "-");

	memset(out, 0, sizeof(*out));
	if (p->token.kind == SPEC_T_NUMBER)
		*out = p->token.number;
	else if (negative)
		return spec_expected(p, "a number");
	else if (spec_is(p, "true"))
		out->i = 1;
	else if (!spec_is(p, "false") && !spec_is(p, "NULL"))
		return spec_expected(p, "a constant");
	spec_lex(p);
	if (!negative)
		return true;
	if (out->is_float) {
		out->f = -out->f;
	} else if (out->is_big && out->i != INT64_MIN) {
		return spec_fail(p, at, "-%llu does not fit 64 bits", (unsigned long long)out->i);
	} else {
		out->is_big = false;
		out->i = (int64_t)(0 - (uint64_t)out->i);
	}
	return true;
}

/* ---- declarations ---- */

static bool room_for(struct spec_parser *p, uint32_t n, uint32_t limit, const char *what)
{
	if (n < limit)
		return true;
	return spec_fail(p, p->token.spot, "more than %u %s", limit, what);
}

/* In a formula such a word at its beginning would not be read as a name. */
static bool check_variable(struct spec_parser *p)
{
	const struct spec_token *t = &p->token;

	if (t->kind != SPEC_T_WORD || !spec_is_reserved(t->at, t->n))
		return true;
	return spec_fail(p, t->spot,
			 "'%.*s' is a word of the language: write @%.*s for the program's variable",
			 (int)t->n, t->at, (int)t->n, t->at);
}

static bool parse_variable(struct spec_parser *p, bool local)
{
	struct spec *s = p->spec;
	struct spec_variable *v = &s->variables[s->nvariables];
	struct spec_spot at;

	if (!room_for(p, s->nvariables, SPEC_VARIABLES, "variables") ||
	    !spec_parse_type(p, &v->type))
		return false;
	v->spot = p->token.spot;
	v->local = local;
	if (!check_variable(p) || !spec_parse_lvalue(p, "a variable", &v->name))
		return false;
	s->nvariables++;
	v->has_initial = spec_take(p, "=");
	if (!v->has_initial)
		return spec_need(p, ";", "'=' or ';'");
	at = p->token.spot;
	return spec_parse_constant(p, &v->initial) &&
	       spec_type_fits(p, &v->type, at, &v->initial) && spec_need(p, ";", "';'");
}

static bool parse_shared(struct spec_parser *p)
{
	return parse_variable(p, false);
}

/* One for each thread: so it has a name of its own, and lies nowhere. */
static bool parse_local(struct spec_parser *p)
{
	struct spec *s = p->spec;
	uint32_t n = s->nvariables;
	const struct spec_variable *v = &s->variables[n];

	if (!parse_variable(p, true))
		return false;
	if (v->type.kind != SPEC_INT)
		return spec_fail(p, v->spot,
				 "a local variable is an integer: FORESEE_INTERNAL sets it");
	return strpbrk(v->name, ".:[@") == NULL ||
	       spec_fail(p, v->spot,
			 "a local variable is one that only the spec has: a plain name");
}

static bool parse_flow(struct spec_parser *p)
{
	if (spec_take(p, "all"))
		p->spec->flow_all = true;
	else if (!spec_take(p, "named"))
		return spec_expected(p, "'named' or 'all'");
	return spec_need(p, ";", "';'");
}

static bool parse_thread(struct spec_parser *p)
{
	struct spec *s = p->spec;
	struct spec_thread *t = &s->threads[s->nthreads];
	const struct spec_number *n = &p->token.number;

	if (!room_for(p, s->nthreads, SPEC_THREADS, "threads"))
		return false;
	t->spot = p->token.spot;
	if (!spec_parse_word(p, "the name of a thread", true, &t->name) ||
	    !spec_need(p, "=", "'='"))
		return false;
	if (strcmp(t->name, "any") == 0)
		return spec_fail(p, t->spot, "'any' stands for all threads already");
	s->nthreads++;
	if (p->token.kind == SPEC_T_STRING) {
		t->routine = p->token.string;
	} else if (p->token.kind == SPEC_T_NUMBER && !n->is_float) {
		t->is_number = true;
		t->number = (uint64_t)n->i;
		if (n->is_big || n->i < 1 || n->i > UINT32_MAX)
			return spec_fail(p, p->token.spot,
					 "threads are counted from 1, which is main");
	} else {
		return spec_expected(p, "the number of a thread, or its start routine in quotes");
	}
	spec_lex(p);
	return spec_need(p, ";", "';'");
}

static bool parse_relevant(struct spec_parser *p)
{
	do {
		struct spec_spot at = p->token.spot;
		const char *name;

		if (!spec_grow(p, at, 1) || !spec_parse_lvalue(p, "a variable or an event", &name))
			return false;
		spec_use(p, SPEC_USE_RELEVANT, name, at, NULL);
	} while (spec_take(p, ","));
	return spec_need(p, ";", "',' or ';'");
}

/* ---- properties ---- */

static bool parse_step(struct spec_parser *p, enum spec_step *out)
{
	if (!spec_take(p, "step"))
		return spec_is(p, ":") || spec_expected(p, "':' or 'step'");
	if (spec_take(p, "event"))
		*out = SPEC_STEP_EVENT;
	else if (spec_take(p, "write"))
		*out = SPEC_STEP_WRITE;
	else
		return spec_expected(p, "'event' or 'write'");
	return true;
}

static bool parse_ere(struct spec_parser *p, struct spec_property *y)
{
	if (!spec_parse_rx(p, &y->rx))
		return false;
	if (spec_take(p, "never"))
		y->body = SPEC_ERE_NEVER;
	else if (spec_take(p, "must"))
		y->body = SPEC_ERE_MUST;
	else
		return spec_expected(
			p, "'never' (violated when a prefix of the run matches) or 'must' "
			   "(when no continuation can match)");
	return true;
}

static bool parse_mttl(struct spec_parser *p, struct spec_property *y)
{
	struct spec_spot at;
	const char *name = NULL;
	bool good;

	y->body = SPEC_MTTL;
	if (!spec_need(p, "@", "'@' and a thread"))
		return false;
	at = p->token.spot;
	if (!spec_parse_word(p, "a thread", false, &name) || !spec_need(p, "(", "'('"))
		return false;
	spec_use(p, SPEC_USE_WHO, name, at, &y->at);
	p->mttl = true;
	good = spec_parse_form(p, &y->form);
	p->mttl = false;
	return good && spec_need(p, ")", "an operator or ')'");
}

static bool parse_body(struct spec_parser *p, struct spec_property *y)
{
	if (spec_take(p, "ptltl"))
		return spec_parse_form(p, &y->form);
	if (spec_take(p, "ere"))
		return parse_ere(p, y);
	if (spec_take(p, "fsm"))
		return spec_parse_fsm(p, y);
	if (spec_take(p, "mttl"))
		return parse_mttl(p, y);
	return spec_expected(p, "'ptltl', 'ere', 'fsm' or 'mttl'");
}

static bool parse_property(struct spec_parser *p)
{
	struct spec *s = p->spec;
	struct spec_property *y = &s->properties[s->nproperties];
	const char *end;

	if (!room_for(p, s->nproperties, SPEC_PROPERTIES, "properties"))
		return false;
	y->spot = p->token.spot;
	if (!spec_parse_word(p, "the name of a property", false, &y->name) ||
	    !parse_step(p, &y->step) || !spec_need(p, ":", "':'") || !parse_body(p, y))
		return false;
	s->nproperties++;
	if (spec_take(p, "handler"))
		return spec_parse_action(p, y) && spec_need(p, ";", "';'");
	end = y->body == SPEC_PTLTL ? "an operator, 'handler' or ';'" : "'handler' or ';'";
	return spec_need(p, ";", end);
}

/* ---- the file ---- */

static bool parse_declaration(struct spec_parser *p)
{
	static const struct {
		const char *word;
		bool (*parse)(struct spec_parser *p);
	} all[] = {
		{ "shared", parse_shared },	{ "event", spec_parse_event },
		{ "relevant", parse_relevant }, { "thread", parse_thread },
		{ "property", parse_property }, { "local", parse_local },
		{ "flow", parse_flow },
	};
	enum { N = sizeof(all) / sizeof(all[0]) };
	const char *words[N];

	p->nodes = 0;
	for (size_t i = 0; i < N; i++) {
		if (spec_take(p, all[i].word))
			return all[i].parse(p);
		words[i] = all[i].word;
	}
	return spec_unknown_word(
		p, "expected a declaration, found", words, N,
		"'shared', 'local', 'event', 'relevant', 'thread', 'flow' or 'property'");
}

static bool parse_all(struct spec_parser *p)
{
	/* A byte order mark is no part of the text. */
	if (p->spec->ntext >= 3 && memcmp(p->at, "\xef\xbb\xbf", 3) == 0)
		p->at += 3;
	spec_lex(p);
	while (p->token.kind != SPEC_T_END)
		if (!parse_declaration(p))
			return false;
	return spec_resolve(p) && !p->failed;
}

enum status spec_parse(const char *path, const char *text, size_t n, struct spec **out,
		       struct diag *d)
{
	struct spec_parser p = { .d = d, .line = 1 };
	bool good;

	*out = NULL;
	if (n > SPEC_BYTES)
		return diag_fail(d, ST_LIMIT, "'%s' is longer than the %u MB that a spec may have",
				 path, SPEC_BYTES >> 20);
	p.spec = spec_new(path, text, n);
	p.at = p.line_at = p.spec->text;
	good = parse_all(&p);
	VEC_RELEASE(&p.uses);
	if (!good) {
		spec_free(p.spec);
		return ST_BAD_INPUT;
	}
	*out = p.spec;
	return ST_OK;
}
