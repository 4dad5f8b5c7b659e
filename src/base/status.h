/* What a function that deals with the world answers. */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

enum status {
	ST_OK,
	ST_END,	      /* no more items */
	ST_BAD_INPUT, /* the input is wrong; the diag says where */
	ST_IO,	      /* the system refused; the diag says what */
	ST_LIMIT,     /* a budget ran out */
	ST_AGAIN,     /* no more for now: ask again later (trace_options.follow) */
};

/* Behind the declaration of a function whose answer must be looked at. */
#define ST_CHECKED __attribute__((warn_unused_result))

#endif /* BASE_STATUS_H */
