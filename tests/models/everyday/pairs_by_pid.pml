/* expect: states=24 own_states=16 own_orbits=10 own_structure=S2 verdict=holds */
#define P 2
chan q[P] = [1] of { byte };
active [P] proctype prod() { do :: q[_pid]!_pid od }
active [P] proctype cons() { byte x; do :: q[_pid - P]?x; assert(x == _pid - P) od }
