/* Units: atoms that every element of a group moves together, and what a state says of them.
 *
 * A state says something of each unit alone, and joins units (links) by the references and numbers it holds.  What a link
 * means is written down for every reference and every code it may hold, so looking at a state takes no jump. */
#ifndef QB_UNITS_H
#define QB_UNITS_H

#include "reduce.h"

/* A reference; it is one if the length of its queue is at least `need`. */
typedef struct {
    qb_field field, length;
    uint64_t mask;
    uint32_t need, entries, owner; /* owner: a unit, or the count for none of them */
} qb_pointer;

/* What it means that a pointer holds a code. */
typedef struct {
    uint64_t said, told, label; /* of the owner, of the unit it refers to; of the link */
    uint32_t target;            /* a unit, or the count */
    uint16_t level, joins;      /* the level of both ends; whether there is a link */
} qb_meaning;

/* A number that belongs to two units, or to one and an atom that stays. */
typedef struct {
    qb_field field;
    uint64_t label;
    uint32_t a, b, level; /* b == count: to a alone */
} qb_bond;

typedef struct {
    uint64_t label;
    uint32_t a, b, level;
} qb_link;

typedef struct {
    uint32_t count, pointer_count, bond_count;
    uint32_t *starts;     /* of each unit, and the end: its atoms in `atoms` */
    int32_t *atoms;
    uint32_t *run_starts; /* as `starts`, for the runs */
    qb_field *runs;
    uint64_t *first_colours;
    uint8_t *levels; /* by two units: something that the group keeps, and that labels tell; at first 0 */
    qb_pointer *pointers;
    qb_meaning *meanings;
    qb_bond *bonds;
    qb_link *links; /* of the state that was looked at */
    uint32_t link_count;
} qb_units;

/* The table of a node while it is read. */
typedef struct {
    const qb_plan *plan;
    const int64_t *table;
    uint64_t count, at;
    bool good;
} qb_unit_reading;

/* The next number; it has to be less than `below`. */
uint32_t qb_take_number(qb_unit_reading *in, uint64_t below);
/* Of each unit how many atoms, the class, the atoms.  Requires a count; false: unsound, or memory is short. */
bool qb_units_take(qb_unit_reading *in, qb_units *units);
/* Once the levels are known: what references mean; false: there are too many, or cells of other kinds. */
bool qb_units_read_cells(qb_units *units, const qb_plan *plan);
void qb_units_close(qb_units *units);
/* Colours become what a state says of each unit alone; colours[count] is scratch.  Links are listed. */
void qb_units_look(qb_units *units, const uint64_t *s, uint64_t *colours);
bool qb_units_are_alike(const qb_units *units, const qb_plan *plan, uint32_t u, uint32_t v);

#endif
