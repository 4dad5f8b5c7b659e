/* What the compiler cannot know: what is rare, and what must be part of the hook that calls it. */
#ifndef CAPTURE_HINT_H
#define CAPTURE_HINT_H

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

#define INLINE static inline __attribute__((always_inline))
#define COLD __attribute__((noinline, cold))

#endif /* CAPTURE_HINT_H */
