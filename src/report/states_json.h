/*
 * The run of a violated property as JSON: what the spec's variables hold after each look.
 */
#ifndef REPORT_STATES_JSON_H
#define REPORT_STATES_JSON_H

struct finding;
struct json;
struct report;

/* Of a longer run only so many looks, the last. */
#define STATES_JSON_STEPS 10000

/* "states": [{"event": 3, "events": ["open"], "values": {"x": 1}}, ...], with the state before the
 * first look in front; null without a certified run. */
void states_json(const struct report *r, const struct finding *f, struct json *j);

/* "object": the variables of the property. */
void states_json_object(const struct report *r, const struct finding *f, struct json *j);

#endif /* REPORT_STATES_JSON_H */
