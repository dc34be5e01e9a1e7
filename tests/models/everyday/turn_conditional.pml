/* expect: states=12 own_states=12 own_orbits=6 own_structure=C4 verdict=holds */
#define N 4
byte turn; byte work;
active [N] proctype P() {
  do
  :: turn == _pid -> work = 1 - work; turn = (turn == N-1 -> 0 : turn + 1)
  od
}
