/* expect: states=292 own_states=164 own_orbits=55 own_structure=S3 verdict=holds */
/* votes counted by the chair in d_step; the voters are told the result */
#define N 3
mtype = { none, yes, no };
mtype vote[N] = none;
byte yeas, nays, cast;
bool decided;
proctype voter(byte me) {
  atomic { if :: vote[me] = yes :: vote[me] = no fi; cast++ }
  decided
}
proctype chair() {
  byte v;
  cast == N;
  d_step {
    v = 0; yeas = 0; nays = 0;
    do
    :: v == N -> break
    :: v < N && vote[v] == yes -> yeas++; v++
    :: v < N && vote[v] == no -> nays++; v++
    od;
    decided = true
  }
  assert(yeas + nays == N)
}
init { atomic { run chair(); byte i = 0; do :: i < N -> run voter(i); i++ :: else -> break od } }
