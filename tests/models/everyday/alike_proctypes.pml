/* expect: states=618 own_states=618 own_orbits=315 own_structure=S2 verdict=fails */
/* two producers by name, one buffer */
mtype = { item };
chan buf = [2] of { mtype, byte };
byte nA, nB;
bool busyA, busyB;
active proctype ProducerA() {
  do :: nA < 2 -> busyA = true; buf!item,1; nA++; busyA = false :: else -> break od
}
active proctype ProducerB() {
  do :: nB < 2 -> busyB = true; buf!item,2; nB++; busyB = false :: else -> break od
}
active proctype Consumer() {
  byte who;
  do :: buf?item,who od
}
