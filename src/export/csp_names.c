/*
 * Identifiers.  A letter, then letters, digits and underscores: what a name has besides becomes an
 * underscore, and a number behind it keeps it apart from others, and from the words of the text.  Of a name
 * with its file before it, as "a.c:m", the file is left out.
 */
#include "export/csp_priv.h"

#include <ctype.h>

/* Of the language, of the network, and what its equations call their parameters. */
static const char *const reserved[] = {
	"start",    "end",	   "fork",     "join",	  "lock",     "unlock",	    "rlock",
	"runlock",  "tryfail",	   "tryfailw", "post",	  "wait",     "zero",	    "give",
	"take",	    "read",	   "write",    "aread",	  "awrite",   "rmw",	    "try",
	"race",	    "Thread",	   "Lock",     "Sem",	  "Var",      "Nr",	    "THREAD",
	"TINTER",   "FORK",	   "JOIN",     "MUTEX",	  "HELD",     "RWLOCK",	    "RWHELD",
	"READERS",  "OTHERS",	   "SEM",      "EDGE",	  "SYNC",     "Sync",	    "PROGRAM",
	"RW",	    "ERR",	   "PATTERN",  "RACE",	  "STOP",     "SKIP",	    "CHAOS",
	"DIV",	    "Events",	   "datatype", "subtype", "nametype", "channel",    "assert",
	"if",	    "then",	   "else",     "let",	  "within",   "lambda",	    "union",
	"diff",	    "inter",	   "card",     "Union",	  "Inter",    "member",	    "empty",
	"set",	    "Set",	   "Seq",      "seq",	  "length",   "null",	    "head",
	"tail",	    "concat",	   "elem",     "and",	  "or",	      "not",	    "true",
	"false",    "Int",	   "Bool",     "Char",	  "Proc",     "print",	    "include",
	"external", "transparent", "module",   "exports", "instance", "extensions", "productions",
	"t",	    "u",	   "l",	       "e",	  "k",	      "w",	    "n",
	"s",	    "S",
};

static bool is_used(const struct csp_names *n, const char *id)
{
	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		if (strcmp(reserved[i], id) == 0)
			return true;
	for (size_t i = 0; i < n->used.n; i++)
		if (strcmp(n->used.at[i], id) == 0)
			return true;
	return false;
}

/* takes `real' */
static void name_make(struct csp_names *n, struct csp_name *out, const char *prefix, char *real)
{
	const char *colon = strrchr(real, ':');
	const char *name = colon && isalpha((unsigned char)colon[1]) ? colon + 1 : real;
	STRBUF_SCOPED id = { 0 };
	bool odd = false;
	size_t stem;

	if (!isalpha((unsigned char)name[0]))
		strbuf_adds(&id, prefix);
	for (const char *p = name; *p && id.n < 60; p++) {
		bool plain = isalnum((unsigned char)*p) || *p == '_';

		odd |= !plain;
		strbuf_add(&id, plain ? p : "_", 1);
	}
	stem = id.n;
	for (unsigned k = 1; odd || is_used(n, strbuf_str(&id)); k++, odd = false) {
		id.n = stem;
		strbuf_addf(&id, "_%u", k);
	}
	out->real = real;
	out->id = mem_text(strbuf_str(&id), id.n);
	texts_add(&n->used, "%s", out->id);
}

/* Of a line "T1|w(x+4:4)=7|a.c:3": the thread, or what is in the brackets less its size. */
static char *line_thread(const char *line)
{
	return mem_text(line, strcspn(line, "|"));
}

static char *line_operand(const char *line)
{
	const char *open = strchr(line, '(');
	size_t n = open ? strcspn(++open, ",)") : 0, digits = n;

	while (digits > 0 && isdigit((unsigned char)open[digits - 1]))
		digits--;
	if (digits > 0 && digits < n && open[digits - 1] == ':')
		n = digits - 1;
	return mem_text(n ? open : "", n);
}

static void name_object(struct csp_names *n, const struct csp_options *opt, struct csp_name *names,
			uint32_t i, const char *prefix, uint64_t pos)
{
	if (!names[i].id)
		name_make(n, &names[i], prefix, line_operand(opt->describe(opt->arg, pos)));
}

static void name_event(struct csp_names *n, const struct model *m, const struct csp_options *opt,
		       uint32_t id)
{
	const struct model_event *e = &m->event[id];
	uint64_t pos = m->base + id;

	switch (e->op) {
	case STEP_ACQ:
	case STEP_RACQ:
	case STEP_BUSY:
		if (!csp_leaves_out(e))
			name_object(n, opt, n->lock, e->obj, "l_", pos);
		break;
	case STEP_POST:
	case STEP_TAKE:
	case STEP_ZERO:
		name_object(n, opt, n->sem, e->obj, "s_", pos);
		break;
	case STEP_FORK:
	case STEP_JOIN:
		name_object(n, opt, n->thread, e->partner, "t_", pos);
		break;
	default:
		break;
	}
	for (uint32_t i = 0; csp_is_access(e) && i < model_ntouches(m, id); i++)
		name_object(n, opt, n->cell, m->touches[e->touch + i].cell, "x_", pos);
}

static uint32_t count_threads(const struct model *m)
{
	uint32_t most = 0;

	for (uint32_t e = 1; e <= m->n; e++) {
		const struct model_event *v = &m->event[e];
		bool other = v->op == STEP_FORK || v->op == STEP_JOIN;

		most = v->tid > most ? v->tid : most;
		most = other && v->partner > most ? v->partner : most;
	}
	return most + 1;
}

void csp_names_init(struct csp_names *n, const struct model *m, const struct csp_options *opt)
{
	n->nthreads = count_threads(m);
	n->thread = mem_zalloc(n->nthreads * sizeof(*n->thread));
	n->lock = mem_zalloc((m->nlocks + 1) * sizeof(*n->lock));
	n->sem = mem_zalloc((m->nsems + 1) * sizeof(*n->sem));
	n->cell = mem_zalloc((m->ncells + 1) * sizeof(*n->cell));
	for (uint32_t e = 1; e <= m->n; e++)
		if (!n->thread[m->event[e].tid].id)
			name_make(n, &n->thread[m->event[e].tid], "t_",
				  line_thread(opt->describe(opt->arg, m->base + e)));
	for (uint32_t e = 1; e <= m->n; e++)
		name_event(n, m, opt, e);
}

static void names_free(struct csp_name *names, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		MEM_FREE_ALL(names[i].id, names[i].real);
	mem_free(names);
}

void csp_names_release(struct csp_names *n, const struct model *m)
{
	names_free(n->thread, n->nthreads);
	names_free(n->lock, m->nlocks);
	names_free(n->sem, m->nsems);
	names_free(n->cell, m->ncells);
	texts_release(&n->used);
}

static bool is_word(const char *name, const char *word, size_t length)
{
	return strlen(name) == length && memcmp(name, word, length) == 0;
}

uint32_t csp_names_find(const struct csp_name *names, uint32_t n, const char *word, size_t length)
{
	for (uint32_t i = 0; i < n; i++)
		if (names[i].id &&
		    (is_word(names[i].real, word, length) || is_word(names[i].id, word, length)))
			return i;
	return UINT32_MAX;
}
