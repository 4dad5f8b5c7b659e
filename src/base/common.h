/*
 * What nearly every file of the tool needs, in one line: the C library's everyday headers and our own.
 * A source file has it from its header.  Recorder and driver (capture, driver) do not use it.
 */
#ifndef BASE_COMMON_H
#define BASE_COMMON_H

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/status.h"
#include "base/strbuf.h"
#include "base/talk.h"
#include "base/texts.h"
#include "base/vec.h"

#endif /* BASE_COMMON_H */
