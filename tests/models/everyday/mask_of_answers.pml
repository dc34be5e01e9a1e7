/* expect: states=943 own_states=443 own_orbits=108 own_structure=S3 verdict=holds */
#define N 3
chan ack = [N] of { byte }; byte acks; bool go[N];
proctype slave(byte id) { do :: go[id] -> go[id] = false; ack!id od }
proctype master() { byte who;
  do
  :: acks == 0 -> d_step { go[0] = true; go[1] = true; go[2] = true }; acks = 0;
     do :: acks != 7 -> ack?who; acks = acks | (1 << who) :: acks == 7 -> break od;
     acks = 0
  od }
init { atomic { run slave(0); run slave(1); run slave(2); run master() } }
