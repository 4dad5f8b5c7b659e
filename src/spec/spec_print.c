/*
 * Trees back to text, with every parenthesis that shows how they were read.
 *
 * What stands between delimiters of its own needs none: once(x == 1), [x == 1, y == 2).
 */
#include <ctype.h>

#include "spec/spec_priv.h"

const char *const spec_op_words[SPEC_NOPS] = {
#define X(id, word) word,
	SPEC_OPS(X)
#undef X
};

static const char *const form_words[] = {
#define X(id, word, operands, temporal) word,
	SPEC_FORMS(X)
#undef X
};

const char *const spec_expr_words[SPEC_REMOTE + 1] = {
	[SPEC_ADD] = "+", [SPEC_SUB] = "-", [SPEC_MUL] = "*", [SPEC_DIV] = "/",
	[SPEC_MOD] = "%", [SPEC_EQ] = "==", [SPEC_NE] = "!=", [SPEC_LT] = "<",
	[SPEC_LE] = "<=", [SPEC_GT] = ">",  [SPEC_GE] = ">=",
};

/* ---- names and numbers ---- */

/* word { "::" word } { "." word | "[" number "]" } as the parser writes it; files: words and dots. */
static bool is_path(const char *s, const char *end, bool variable)
{
	bool scoped = variable;

	for (;;) {
		if (s == end || !(isalpha((unsigned char)*s) || *s == '_'))
			return false;
		while (s < end && (isalnum((unsigned char)*s) || *s == '_'))
			s++;
		if (scoped && end - s > 2 && s[0] == ':' && s[1] == ':') {
			s += 2;
			continue;
		}
		scoped = false;
		while (variable && s < end && *s == '[') {
			const char *from = ++s;

			while (s < end && isdigit((unsigned char)*s))
				s++;
			if (s == from || s == end || *s != ']' || (*from == '0' && s - from > 1) ||
			    s - from > 19)
				return false;
			s++;
		}
		if (s == end)
			return true;
		if (*s++ != '.')
			return false;
	}
}

static void print_string(const char *text, size_t n, struct strbuf *out)
{
	strbuf_adds(out, "\"");
	for (size_t i = 0; i < n; i++) {
		if (text[i] == '"' || text[i] == '\\')
			strbuf_adds(out, "\\");
		strbuf_add(out, &text[i], 1);
	}
	strbuf_adds(out, "\"");
}

/* Between a file and its variable, which may have colons itself: ns::x.  NULL: there is no file. */
static const char *file_colon(const char *name, const char *end)
{
	const char *colon = is_path(name, end, true) ? NULL : strchr(name, ':');

	while (colon && !is_path(colon + 1, end, true) && strchr(colon + 1, ':'))
		colon = strchr(colon + 1, ':');
	return colon;
}

/* A variable, or the name of an object: as the path that it is, or in quotes; the file of one that
 * may have a file in quotes of its own. */
static void print_name(const char *name, bool has_file, struct strbuf *out)
{
	const char *end = name + strlen(name), *colon = file_colon(name, end);
	const char *path = colon ? colon + 1 : name;

	if (name[0] == '@' && is_path(name + 1, end, false) && !strchr(name, '.')) {
		strbuf_adds(out, name);
	} else if (colon == name || !is_path(path, end, true) ||
		   (colon && !has_file && !is_path(name, colon, false))) {
		print_string(name, (size_t)(end - name), out);
	} else {
		if (colon &&
		    (!is_path(name, colon, false) || spec_is_reserved(name, strcspn(name, ".:"))))
			print_string(name, (size_t)(colon - name), out);
		else if (colon)
			strbuf_add(out, name, (size_t)(colon - name));
		strbuf_adds(out, colon ? colon : name);
	}
}

/* The shortest that reads back the same, and is seen to be no integer. */
static void print_float(double f, struct strbuf *out)
{
	char text[40];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, f);
		if (strtod(text, NULL) == f)
			break;
	}
	strbuf_adds(out, text);
	if (!strpbrk(text, ".e"))
		strbuf_adds(out, ".0");
}

void spec_print_number(const struct spec_number *n, struct strbuf *out)
{
	if (n->is_float)
		print_float(n->f, out);
	else if (n->is_big)
		strbuf_addf(out, "%" PRIu64, (uint64_t)n->i);
	else
		strbuf_addf(out, "%" PRId64, n->i);
}

/* ---- expressions ---- */

static const char *who(const struct spec *s, uint32_t index, const char *name)
{
	return index < SPEC_THREADS ? s->threads[index].name : index == SPEC_WHO_ANY ? "any" : name;
}

static void print_expr(const struct spec *s, const struct spec_expr *e, bool inner,
		       struct strbuf *out)
{
	switch (e->op) {
	case SPEC_CONST:
		spec_print_number(&e->number, out);
		break;
	case SPEC_VARIABLE:
		print_name(s->variables[e->index].name, true, out);
		break;
	case SPEC_TID:
		strbuf_adds(out, "tid");
		break;
	case SPEC_BLOCK:
		strbuf_adds(out, "block");
		break;
	case SPEC_REMOTE:
		strbuf_addf(out, "@%s.", who(s, e->index, e->name));
		print_expr(s, e->a, true, out);
		break;
	case SPEC_NEG:
		/* -5 is a constant; -(5) is not. */
		strbuf_adds(out, "-(");
		print_expr(s, e->a, false, out);
		strbuf_adds(out, ")");
		break;
	default:
		strbuf_adds(out, inner ? "(" : "");
		print_expr(s, e->a, true, out);
		strbuf_addf(out, " %s ", spec_expr_words[e->op]);
		print_expr(s, e->b, true, out);
		strbuf_adds(out, inner ? ")" : "");
	}
}

void spec_print_expr(const struct spec *s, const struct spec_expr *e, struct strbuf *out)
{
	print_expr(s, e, false, out);
}

static void print_when(const struct spec *s, const struct spec_expr *when, struct strbuf *out)
{
	if (!when)
		return;
	strbuf_adds(out, " when ");
	print_expr(s, when, false, out);
}

/* ---- formulas ---- */

static void print_form(const struct spec *s, const struct spec_form *f, bool inner,
		       struct strbuf *out)
{
	switch (f->op) {
	case SPEC_F_TRUE:
	case SPEC_F_FALSE:
		strbuf_adds(out, form_words[f->op]);
		break;
	case SPEC_F_EXPR:
		print_expr(s, f->expr, inner, out);
		break;
	case SPEC_F_EVENT:
		strbuf_addf(out, "%s()", s->events[f->index].name);
		break;
	case SPEC_F_INTERVAL:
	case SPEC_F_WINTERVAL:
		strbuf_adds(out, "[");
		print_form(s, f->a, false, out);
		strbuf_adds(out, ", ");
		print_form(s, f->b, false, out);
		strbuf_adds(out, f->op == SPEC_F_INTERVAL ? ")" : ")w");
		break;
	case SPEC_F_SOME:
	case SPEC_F_ALL:
		strbuf_addf(out, "%s(%s : %s, ", form_words[f->op], f->name,
			    who(s, f->index, NULL));
		print_form(s, f->a, false, out);
		strbuf_adds(out, ")");
		break;
	default:
		if (!f->b) {
			strbuf_addf(out, "%s%s(", form_words[f->op],
				    f->op == SPEC_F_AT ? who(s, f->index, f->name) : "");
			print_form(s, f->a, false, out);
			strbuf_adds(out, ")");
			break;
		}
		strbuf_adds(out, inner ? "(" : "");
		print_form(s, f->a, true, out);
		strbuf_addf(out, " %s ", form_words[f->op]);
		print_form(s, f->b, true, out);
		strbuf_adds(out, inner ? ")" : "");
	}
}

/* ---- regular expressions ---- */

enum rx_room { RX_FREE, RX_OPERAND, RX_ATOM }; /* what stands around it */

static void print_rx(const struct spec *s, const struct spec_rx *r, enum rx_room room,
		     struct strbuf *out)
{
	static const char marks[] = {
		[SPEC_RX_STAR] = '*', [SPEC_RX_PLUS] = '+', [SPEC_RX_OPT] = '?'
	};
	bool is_row = r->op == SPEC_RX_CAT || r->op == SPEC_RX_OR || r->op == SPEC_RX_AND;
	bool is_mark = r->op == SPEC_RX_STAR || r->op == SPEC_RX_PLUS || r->op == SPEC_RX_OPT;
	bool closed = (is_row && room != RX_FREE) ||
		      ((is_mark || r->op == SPEC_RX_NOT) && room == RX_ATOM);

	strbuf_adds(out, closed ? "(" : "");
	if (r->op == SPEC_RX_EMPTY) {
		strbuf_adds(out, "()");
	} else if (r->op == SPEC_RX_EVENT) {
		strbuf_adds(out, s->events[r->index].name);
	} else if (r->op == SPEC_RX_ANY) {
		strbuf_adds(out, ".");
	} else if (is_mark) {
		print_rx(s, r->a, RX_ATOM, out);
		strbuf_add(out, &marks[r->op], 1);
	} else if (r->op == SPEC_RX_NOT) {
		strbuf_adds(out, "~");
		print_rx(s, r->a, RX_ATOM, out);
	} else {
		print_rx(s, r->a, RX_OPERAND, out);
		strbuf_adds(out, r->op == SPEC_RX_CAT ? " " : r->op == SPEC_RX_OR ? " | " : " & ");
		print_rx(s, r->b, RX_OPERAND, out);
	}
	strbuf_adds(out, closed ? ")" : "");
}

/* ---- events ---- */

static void print_arg(const struct spec *s, const struct spec_event *e, const struct spec_arg *a,
		      struct strbuf *out)
{
	if (a->is_number)
		spec_print_number(&a->number, out);
	else if (a->thread >= 0)
		strbuf_adds(out, s->threads[a->thread].name);
	else
		print_name(a->name, e->op <= SPEC_REL, out);
}

static void print_event(const struct spec *s, const struct spec_event *e, struct strbuf *out)
{
	strbuf_addf(out, "event %s = %s(", e->name, spec_op_words[e->op]);
	for (uint32_t i = 0; i < e->nargs; i++) {
		strbuf_adds(out, i ? ", " : "");
		print_arg(s, e, &e->args[i], out);
	}
	strbuf_adds(out, ")");
	if (e->by >= 0)
		strbuf_addf(out, " by %s", s->threads[e->by].name);
	print_when(s, e->when, out);
	strbuf_adds(out, ";");
}

/* ---- properties ---- */

static void print_machine(const struct spec *s, const struct spec_property *p, struct strbuf *out)
{
	strbuf_adds(out, p->any ? "fsm any {\n" : "fsm {\n");
	for (uint32_t i = 0; i < p->nstates; i++) {
		const struct spec_state *state = &p->states[i];

		strbuf_addf(out, "\t%s%sstate %s {", state->initial ? "initial " : "",
			    state->bad ? "bad " : "", state->name);
		for (uint32_t j = 0; j < state->nmoves; j++) {
			const struct spec_move *m = &state->moves[j];

			strbuf_addf(out, "\n\t\t%s", s->events[m->event].name);
			print_when(s, m->when, out);
			strbuf_addf(out, " -> %s;", p->states[m->to].name);
		}
		strbuf_adds(out, state->nmoves ? "\n\t}\n" : " }\n");
	}
	strbuf_adds(out, "}");
}

static void print_action(const struct spec *s, const struct spec_property *p, struct strbuf *out)
{
	static const char *const words[] = {
#define X(id, word) word,
		SPEC_ACTIONS(X)
#undef X
	};

	if (!p->has_action && !p->handler)
		return;
	strbuf_addf(out, " handler %s", p->handler ? p->handler : words[p->action]);
	if (!p->has_action || p->action == SPEC_DO_CALL)
		return;
	if (p->action == SPEC_DO_SET) {
		strbuf_adds(out, " ");
		print_name(s->variables[p->target].name, true, out);
		strbuf_adds(out, " = ");
		spec_print_number(&p->number, out);
	} else if (p->action == SPEC_DO_WAIT) {
		strbuf_adds(out, " until ");
		print_form(s, p->until, true, out);
		strbuf_addf(out, " for %" PRId64, p->number.i);
	}
}

void spec_print_property(const struct spec *s, const struct spec_property *p, struct strbuf *out)
{
	static const char *const steps[] = { "", " step event", " step write" };

	strbuf_addf(out, "property %s%s: ", p->name, steps[p->step]);
	switch (p->body) {
	case SPEC_PTLTL:
		strbuf_adds(out, "ptltl ");
		print_form(s, p->form, false, out);
		break;
	case SPEC_MTTL:
		strbuf_addf(out, "mttl @%s(", who(s, p->at, NULL));
		print_form(s, p->form, false, out);
		strbuf_adds(out, ")");
		break;
	case SPEC_ERE_NEVER:
	case SPEC_ERE_MUST:
		strbuf_adds(out, "ere ");
		print_rx(s, p->rx, RX_FREE, out);
		strbuf_adds(out, p->body == SPEC_ERE_NEVER ? " never" : " must");
		break;
	case SPEC_FSM:
		print_machine(s, p, out);
		break;
	}
	print_action(s, p, out);
	strbuf_adds(out, ";");
}

/* ---- the file ---- */

static void print_relevant(const struct spec *s, struct strbuf *out)
{
	const char *before = "relevant ";

	for (uint32_t i = 0; i < s->nvariables; i++) {
		if (s->relevant_variables >> i & 1) {
			strbuf_adds(out, before);
			print_name(s->variables[i].name, true, out);
			before = ", ";
		}
	}
	for (uint32_t i = 0; i < s->nevents; i++) {
		if (s->relevant_events >> i & 1) {
			strbuf_addf(out, "%s%s", before, s->events[i].name);
			before = ", ";
		}
	}
	strbuf_adds(out, before[0] == ',' ? ";\n" : "");
}

void spec_print(const struct spec *s, struct strbuf *out)
{
	if (s->flow_all)
		strbuf_adds(out, "flow all;\n");
	for (uint32_t i = 0; i < s->nvariables; i++) {
		const struct spec_variable *v = &s->variables[i];
		bool star = v->type.text[strlen(v->type.text) - 1] == '*';

		strbuf_addf(out, "%s %s%s", v->local ? "local" : "shared", v->type.text,
			    star ? "" : " ");
		print_name(v->name, true, out);
		if (v->has_initial) {
			strbuf_adds(out, " = ");
			spec_print_number(&v->initial, out);
		}
		strbuf_adds(out, ";\n");
	}
	for (uint32_t i = 0; i < s->nthreads; i++) {
		const struct spec_thread *t = &s->threads[i];

		strbuf_addf(out, "thread %s = ", t->name);
		if (t->is_number)
			strbuf_addf(out, "%" PRIu64, t->number);
		else
			print_string(t->routine, strlen(t->routine), out);
		strbuf_adds(out, ";\n");
	}
	for (uint32_t i = 0; i < s->nevents; i++) {
		print_event(s, &s->events[i], out);
		strbuf_adds(out, "\n");
	}
	print_relevant(s, out);
	for (uint32_t i = 0; i < s->nproperties; i++) {
		spec_print_property(s, &s->properties[i], out);
		strbuf_adds(out, "\n");
	}
}
