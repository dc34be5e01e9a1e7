/* expect: states=874 own_states=546 own_orbits=546 own_structure=trivial verdict=fails */
/* broadcast into bounded boxes: may block in the middle */
#define N 3
chan box[N] = [1] of { byte };
proctype node(byte id) {
  byte j, m;
  do
  :: atomic { j = 0; do :: j < N -> if :: j != id -> box[j]!id :: else fi; j++ :: else -> break od }
  :: box[id]?m
  od
}
init { atomic { run node(0); run node(1); run node(2) } }
