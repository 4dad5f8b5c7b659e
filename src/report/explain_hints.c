/*
 * What to type next: commands that can be pasted as they stand.
 *
 *	keep the proofs:  foresee check --witness-dir audit.proofs audit.foresee
 *	verify one:       foresee verify audit.foresee audit.proofs/1.witness
 *	replay one:       foresee replay audit.foresee 1
 *	a race is meant:  _Atomic or FORESEE_BENIGN in the source says so: foresee help annotations
 *	how to read this: foresee help race
 */
#include <ctype.h>
#include <unistd.h>

#include "report/explain_priv.h"
#include "report/frames.h"
#include "report/kept.h"

/* As a word for a shell. */
static void word_add(const char *text, struct strbuf *out)
{
	bool plain = *text != '\0' && *text != '~';

	for (const char *s = text; *s; s++)
		plain = plain && (isalnum((unsigned char)*s) || strchr("_./+:,@%=-", *s));
	if (plain) {
		strbuf_adds(out, text);
		return;
	}
	strbuf_adds(out, "'");
	for (const char *s = text; *s; s++)
		if (*s == '\'')
			strbuf_adds(out, "'\\''");
		else
			strbuf_add(out, s, 1);
	strbuf_adds(out, "'");
}

static void path_add(const char *path, struct strbuf *out)
{
	STRBUF_SCOPED near = { 0 };

	frames_path(path, &near);
	if (*strbuf_str(&near) == '-')
		strbuf_adds(out, "./");
	word_add(strbuf_str(&near), out);
}

void explain_plugins(const struct explain *x, struct strbuf *out)
{
	for (size_t i = 0; i < x->r->nplugins; i++) {
		strbuf_adds(out, "--monitor ");
		word_add(x->r->plugins[i], out);
		strbuf_adds(out, " ");
	}
}

/* The number of a finding means the same only among the same findings. */
static void chosen_add(const struct explain *x, struct strbuf *out)
{
	for (size_t i = 0; x->r->chosen && i < x->r->chosen->n; i++) {
		word_add(x->r->chosen->at[i], out);
		strbuf_adds(out, " ");
	}
}

/* Positions count from the beginning of the part. */
void explain_trace(const struct explain *x, struct strbuf *out)
{
	if (x->r->lenient)
		strbuf_adds(out, "--lenient ");
	if (x->r->from_cut || x->r->to_cut)
		strbuf_addf(out, "--cuts %" PRIu64 ":%" PRIu64 " ", x->r->from_cut, x->r->to_cut);
	if (x->r->passing)
		strbuf_adds(out, "TRACE");
	else
		path_add(x->r->path, out);
}

/* "audit.proofs" of audit.foresee, with what is behind it. */
static void proofs_add(const struct explain *x, const char *behind, struct strbuf *out)
{
	const char *slash = strrchr(x->r->path, '/'),
		   *dot = strrchr(slash ? slash : x->r->path, '.');
	STRBUF_SCOPED name = { 0 };

	if (x->r->passing) {
		strbuf_addf(out, "DIR%s", behind);
		return;
	}
	strbuf_add(&name, x->r->path, dot ? (size_t)(dot - x->r->path) : strlen(x->r->path));
	strbuf_addf(&name, ".proofs%s", behind);
	path_add(strbuf_str(&name), out);
}

/* ---- proofs ---- */

static void proofs_format(struct explain *x, bool plugins, uint32_t certified)
{
	char file[32];

	snprintf(file, sizeof(file), "/%" PRIu32 ".witness", certified);
	strbuf_adds(&x->out, "keep the proofs:  foresee check ");
	chosen_add(x, &x->out);
	strbuf_adds(&x->out, "--witness-dir ");
	proofs_add(x, "", &x->out);
	strbuf_adds(&x->out, " ");
	explain_trace(x, &x->out);
	strbuf_adds(&x->out, "\nverify one:       foresee verify ");
	if (plugins)
		explain_plugins(x, &x->out);
	explain_trace(x, &x->out);
	strbuf_adds(&x->out, " ");
	proofs_add(x, file, &x->out);
	strbuf_adds(&x->out, "\n");
}

/* ---- replay ---- */

/* All of its run is there. */
static bool is_whole(const struct explain *x, const struct trace_info *info)
{
	return info->form == TRACE_BINARY && !info->late && !info->locks_only && !info->code &&
	       !x->r->passing && !x->r->from_cut && !x->r->to_cut;
}

/* What a run was compiled for alone is gone by then: it is compiled and run once more. */
static void replay_format(struct explain *x, uint32_t forcible)
{
	struct trace_info info = trace_info(x->t);

	if (!is_whole(x, &info))
		return;
	if (x->r->compiled) {
		strbuf_adds(&x->out, "replay them:      foresee run --replay ");
		chosen_add(x, &x->out);
		for (char *const *w = x->r->compiled; *w; w++) {
			strbuf_adds(&x->out, w == x->r->compiled ? "" : " ");
			word_add(*w, &x->out);
		}
		strbuf_adds(&x->out, "\n");
		return;
	}
	strbuf_adds(&x->out, "replay one:       foresee replay ");
	chosen_add(x, &x->out);
	explain_trace(x, &x->out);
	strbuf_addf(&x->out, " %" PRIu32 "%s\n", forcible,
		    info.program && access(info.program, X_OK) == 0 ? "" : " -- PROGRAM");
}

/* ---- help ---- */

enum topic {
	TOPIC_RACE,
	TOPIC_DEADLOCK,
	TOPIC_ATOMICITY,
	TOPIC_PROPERTY,
	NTOPICS,
	TOPIC_NONE = NTOPICS
};
static const char *const topic_names[] = { "race", "deadlock", "atomicity", "property" };

static enum topic topic_of(enum finding_kind k)
{
	if (k == FINDING_PROPERTY || k == FINDING_PROPERTY_ERROR)
		return TOPIC_PROPERTY;
	if (k == FINDING_ATOMICITY)
		return TOPIC_ATOMICITY;
	if (k == FINDING_CRASH)
		return TOPIC_NONE;
	return k == FINDING_RACE || k == FINDING_USE_AFTER_FREE || k == FINDING_DOUBLE_FREE
		       ? TOPIC_RACE
		       : TOPIC_DEADLOCK;
}

/* A counter of statistics, a flag: who means it so has better ways to say it than to look away. */
static void meant_format(struct explain *x)
{
	for (size_t i = 0; i < x->r->findings->at.n; i++) {
		const struct finding *f = &x->r->findings->at.at[i];

		if (f->kind != FINDING_RACE || !finding_is_about_memory(f) || f->known)
			continue;
		strbuf_adds(&x->out,
			    "a race is meant:  _Atomic or FORESEE_BENIGN in the source says so: "
			    "foresee help annotations\n");
		return;
	}
}

static void topics_format(struct explain *x, unsigned topics)
{
	const char *lead = "how to read this:";

	for (unsigned i = 0; i < NTOPICS; i++) {
		if (!(topics >> i & 1))
			continue;
		strbuf_addf(&x->out, "%s foresee help %s\n", lead, topic_names[i]);
		lead = "                 ";
	}
}

void explain_hints(struct explain *x)
{
	uint32_t certified = 0, forcible = 0; /* the first one that is */
	unsigned topics = 0;

	for (size_t i = 0; i < x->r->findings->at.n; i++) {
		const struct finding *f = &x->r->findings->at.at[i];

		if (f->certified && !certified)
			certified = f->id;
		if (finding_is_forcible(f) && !forcible)
			forcible = f->id;
		topics |= 1u << topic_of(f->kind);
	}
	for (size_t i = 0; x->r->kept && i < x->r->kept->at.n; i++)
		topics |= 1u << topic_of(x->r->kept->at.at[i].kind);
	if (x->lines)
		strbuf_addf(&x->out,
			    "%" PRIu32 " of them in one line each: -v tells all in full, -f json"
			    " has everything\n",
			    x->lines);
	if (!topics || !x->opt->hints)
		return;
	strbuf_adds(&x->out, "\n");
	if (certified && !x->r->witness_dir)
		proofs_format(x, topics >> TOPIC_PROPERTY & 1, certified);
	if (forcible)
		replay_format(x, forcible);
	meant_format(x);
	topics_format(x, topics);
}
