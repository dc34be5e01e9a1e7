/* expect: states=161 own_states=161 own_orbits=29 own_structure=S4 verdict=holds */
#define N 4
#define FULL ((1<<N)-1)
byte arrived; byte round;
proctype W(byte id) {
  do
  :: (arrived & (1 << id)) == 0 ->
       atomic { arrived = arrived | (1 << id);
         if :: arrived == FULL -> arrived = 0; round = 1 - round :: else fi }
  od
}
init { atomic { byte i; for (i : 0 .. N-1) { run W(i) } } }
