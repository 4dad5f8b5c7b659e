/*
 * State machines.
 *
 *	fsm   = [ "any" ] "{" { state } "}"
 *	state = [ "initial" ] [ "bad" ] "state" ident "{" { move } "}"
 *	move  = event [ "when" comparison ] "->" state ";"
 */

#include "spec/spec_priv.h"

/* A move before all states are known. */
struct raw_move {
	struct spec_move move;
	uint32_t from;
	const char *event, *to;
	struct spec_spot to_spot;
};

struct machine {
	VEC(struct spec_state) states;
	VEC(struct raw_move) moves; /* in the order written */
};

static bool parse_move(struct spec_parser *p, struct machine *m)
{
	struct raw_move raw = { .from = (uint32_t)m->states.n - 1 };

	raw.move.spot = p->token.spot;
	if (!spec_grow(p, raw.move.spot, 1) ||
	    !spec_parse_word(p, "an event or '}'", false, &raw.event))
		return false;
	if (spec_take(p, "when") && !spec_parse_condition(p, &raw.move.when))
		return false;
	if (!spec_need(p, "->", raw.move.when ? "'->'" : "'when' or '->'"))
		return false;
	raw.to_spot = p->token.spot;
	if (!spec_parse_word(p, "a state", false, &raw.to) || !spec_need(p, ";", "';'"))
		return false;
	*VEC_PUSH(&m->moves) = raw;
	return true;
}

static int state_find(const struct spec_state *states, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(states[i].name, name) == 0)
			return (int)i;
	return -1;
}

static bool parse_state(struct spec_parser *p, struct machine *m)
{
	struct spec_state state = { .spot = p->token.spot };

	state.initial = spec_take(p, "initial");
	state.bad = spec_take(p, "bad");
	if (!spec_take(p, "state"))
		return spec_expected(p, state.bad	? "'state'"
					: state.initial ? "'bad' or 'state'"
							: "'initial', 'bad', 'state' or '}'");
	state.spot = p->token.spot;
	if (!spec_grow(p, state.spot, 1) ||
	    !spec_parse_word(p, "the name of a state", false, &state.name))
		return false;
	if (state_find(m->states.at, m->states.n, state.name) >= 0)
		return spec_fail(p, state.spot, "there is a state '%.64s' already", state.name);
	*VEC_PUSH(&m->states) = state;
	if (!spec_need(p, "{", "'{'"))
		return false;
	while (!spec_take(p, "}"))
		if (!parse_move(p, m))
			return false;
	return true;
}

static bool complain_state(struct spec_parser *p, const struct spec_property *y,
			   const struct raw_move *raw)
{
	const char **names = spec_alloc(p->spec, y->nstates * sizeof(*names));

	for (uint32_t i = 0; i < y->nstates; i++)
		names[i] = y->states[i].name;
	return spec_unknown(p, raw->to_spot, "there is no state", raw->to, "", names, y->nstates,
			    "");
}

/* Now that nothing moves any more: the tree's own arrays. */
static bool settle_moves(struct spec_parser *p, const struct machine *m, struct spec_property *y)
{
	size_t next = 0;

	for (uint32_t i = 0; i < y->nstates; i++) {
		struct spec_state *state = &y->states[i];
		size_t from = next;

		while (next < m->moves.n && m->moves.at[next].from == i)
			next++;
		state->nmoves = (uint32_t)(next - from);
		state->moves = spec_alloc(p->spec, state->nmoves * sizeof(*state->moves));
		for (uint32_t j = 0; j < state->nmoves; j++) {
			const struct raw_move *raw = &m->moves.at[from + j];
			int to = state_find(y->states, y->nstates, raw->to);

			if (to < 0)
				return complain_state(p, y, raw);
			state->moves[j] = raw->move;
			state->moves[j].to = (uint32_t)to;
			spec_use(p, SPEC_USE_EVENT, raw->event, raw->move.spot,
				 &state->moves[j].event);
		}
	}
	return true;
}

static bool settle(struct spec_parser *p, const struct machine *m, struct spec_property *y)
{
	const struct spec_state *first = NULL;

	for (size_t i = 0; i < m->states.n; i++) {
		const struct spec_state *state = &m->states.at[i];

		if (state->initial && first)
			return spec_fail(p, state->spot,
					 "a second initial state: '%.64s' is one already",
					 first->name);
		if (state->initial)
			first = state;
	}
	if (!first)
		return spec_fail(p, y->spot, "the state machine '%.64s' has no initial state",
				 y->name);
	y->nstates = (uint32_t)m->states.n;
	y->states = spec_alloc(p->spec, y->nstates * sizeof(*y->states));
	memcpy(y->states, m->states.at, y->nstates * sizeof(*y->states));
	return settle_moves(p, m, y);
}

bool spec_parse_fsm(struct spec_parser *p, struct spec_property *y)
{
	struct machine m = { 0 };
	bool good = true;

	y->body = SPEC_FSM;
	y->any = spec_take(p, "any");
	if (!spec_need(p, "{", y->any ? "'{'" : "'any' or '{'"))
		return false;
	while (good && !spec_take(p, "}"))
		good = parse_state(p, &m);
	good = good && settle(p, &m, y);
	VEC_RELEASE_ALL(&m.states, &m.moves);
	return good;
}
