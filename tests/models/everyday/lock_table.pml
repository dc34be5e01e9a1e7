/* expect: states=793 own_states=546 own_orbits=61 own_structure="S3 x S2" verdict=holds */
/* who holds which lock; FREE is one past the last process */
#define PROCS 3
#define LOCKS 2
#define FREE PROCS
byte holder[LOCKS] = FREE;
byte waits[PROCS] = LOCKS;
proctype proc(byte id) {
  byte l;
  do
  :: if :: l = 0 :: l = 1 fi;
     waits[id] = l;
     atomic { holder[l] == FREE -> holder[l] = id; waits[id] = LOCKS }
     assert(holder[l] < PROCS);
     holder[l] = FREE
  od
}
init { atomic { byte i = 0; do :: i < PROCS -> run proc(i); i++ :: i >= PROCS -> break od } }
