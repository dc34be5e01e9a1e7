/* expect: states=135 own_states=135 own_orbits=45 own_structure=C3 verdict=holds */
#define N 3
bool req[N]; byte last; bool gr[N];
active [N] proctype C() { do :: !req[_pid] && !gr[_pid] -> req[_pid] = true :: gr[_pid] -> gr[_pid] = false od }
active proctype arb() { byte k;
  do
  :: atomic { !gr[0] && !gr[1] && !gr[2] && (req[0] || req[1] || req[2]) ->
      k = (last + 1) % N;
      do :: req[k] -> break :: else -> k = (k + 1) % N od;
      req[k] = false; gr[k] = true; last = k; k = 0 }
  od }
