/* Unwinding: the orbit of a state under one partition as disjoint orbits under a finer one [W07, equation 4]. */
#ifndef QUORBIT_ADAPTIVE_UNWIND_H
#define QUORBIT_ADAPTIVE_UNWIND_H

#include "cells.h"

/* Whether a letter may be in a cell of the finer partition: 1, 0, or less than 0 to end it all. */
typedef int (*Allowed)(void *data, uint32_t cell, uint32_t letter);
/* Takes one piece; not 0: end it all. */
typedef int (*Take)(void *data, const uint32_t *words, uint32_t length);

/* Hand over the pieces in their order; 0, or what ended it.  ``allowed`` may be NULL. */
int unwind(Cells *cells, uint32_t p, const uint32_t *words, uint32_t r, Allowed allowed, Take take, void *data);

#endif
