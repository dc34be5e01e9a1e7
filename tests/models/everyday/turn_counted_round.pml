/* expect: states=16 own_states=16 own_orbits=4 own_structure=C4 verdict=holds */
#define N 4
byte next;
bool busy[N];
active [N] proctype node() {
  do
  :: next == _pid -> busy[_pid] = true;
     busy[_pid] = false;
     d_step { next++; if :: next >= N -> next = 0 :: else -> skip fi }
  od
}
