/* expect: states=973 own_states=973 own_orbits=244 own_structure=C4 verdict=holds */
#define N 4
int token = 2; bool want[N], crit[N];
proctype node(int id) {
  do
  :: !want[id] -> want[id] = true
  :: token == id && want[id] -> crit[id] = true; assert(token == id); crit[id] = false; want[id] = false; token = (id + 1) % N
  :: token == id && !want[id] -> token = (token + 1) % N
  od
}
init { int i; atomic { for (i : 0 .. N-1) { run node(i) } } }
