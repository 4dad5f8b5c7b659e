/*
 * What nearly every file of the runtime needs, in one line: the C library's everyday headers and our
 * own.  A source file has it from its header.
 */
#ifndef CAPTURE_COMMON_H
#define CAPTURE_COMMON_H

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "capture/assert.h"
#include "capture/hooks.h"
#include "capture/real.h"
#include "capture/sys.h"
#include "capture/text.h"
#include "trace/format.h"

#endif /* CAPTURE_COMMON_H */
