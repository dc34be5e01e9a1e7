/* expect: states=18 own_states=18 own_orbits=6 own_structure=C3 verdict=holds */
#define N 3
byte turn, work;
active [N] proctype P() {
  do
  :: turn == _pid -> work = 1 - work;
     atomic { if :: turn == N - 1 -> turn = 0 :: else -> turn++ fi }
  od
}
