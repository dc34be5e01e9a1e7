/* expect: states=741 own_states=512 own_orbits=106 own_structure=S3 verdict=holds */
/* array of structs, ids from 1 */
#define N 3
typedef cell { byte state; bool dirty; byte owner };
cell c[N+1];
byte last;
proctype cpu(byte id) {
  byte j;
  do
  :: d_step {
       j = 1;
       do :: j <= N -> if :: j != id && c[j].state == 2 -> c[j].state = 0; c[j].dirty = 0 :: else -> skip fi; j++
          :: else -> break od;
       c[id].state = 2; c[id].owner = id; last = id }
  :: c[id].state == 2 -> c[id].dirty = 1
  :: c[id].state > 0 -> atomic { c[id].state = 0; c[id].owner = 0; c[id].dirty = 0 }
  od
}
init { byte i; atomic { for (i : 1 .. N) { run cpu(i) } } }
