/* expect: states=217 own_states=217 own_orbits=57 own_structure=S3 verdict=holds */
/* client i speaks with its own handler i */
#define N 3
mtype = { req, ack };
chan up[N] = [1] of { mtype };
chan down[N] = [1] of { mtype };
byte busy;
proctype client(byte id) {
  do :: up[id]!req; down[id]?ack od
}
proctype handler(byte id) {
  do :: up[id]?req -> busy++; busy--; down[id]!ack od
}
init {
  byte i = 0;
  atomic {
    do :: i < N -> run client(i); run handler(i); i++ :: i == N -> break od
  }
}
