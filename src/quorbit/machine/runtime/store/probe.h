/* Where the hashes of a batch are in a table, or would be: some slots at once, where the processor can compare them so.
 *
 * How far a probe goes cannot be foreseen, so a loop over slots ends in a wrong jump nearly always, and what the processor has begun
 * to read for the next hashes is lost.  Most probes end within the eight slots that are compared together here. */
#ifndef QB_PROBE_H
#define QB_PROBE_H

#include "store.h"

bool qb_can_probe_together(void); /* whether the processor and the system know registers of 256 bits */
/* As qb_probe from the home of each hash on, in the table that knows it.  Requires numbers of 32 bits.  Of a single table only the
 * upper halves of hashes are looked at. */
void qb_probe_batch(const qb_table *tables, uint32_t table_count, const uint64_t *hashes, uint64_t count, uint64_t *slots);

#endif
