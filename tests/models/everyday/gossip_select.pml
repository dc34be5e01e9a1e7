/* expect: states=2502 own_states=321 own_orbits=103 own_structure=S3 verdict=holds */
/* gossip: every node knows a rumour or not; picks a random peer */
#define N 3
bool knows[N];
byte rounds;
proctype Node(byte me) {
  byte peer;
  do
  :: knows[me] ->
     select(peer : 0 .. N-1);
     knows[peer] = true
  :: else -> skip
  od
}
init {
  byte i;
  knows[0] = true;
  atomic { for (i : 0 .. N-1) { run Node(i) } }
}
