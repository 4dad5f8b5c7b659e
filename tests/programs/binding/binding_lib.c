#include "binding.h"

int library_value = 11; /* the program has a copy of it, and the loader fills that in */
