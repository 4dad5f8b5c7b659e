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

#endif /* BASE_STATUS_H */
