/* expect: states=1569 own_states=368 own_orbits=76 own_structure=S3 verdict=holds */
#define N 3
byte num[N]; bool ch[N]; byte crit;
inline maxnum(m) { m = 0; for (j : 0 .. N-1) { if :: num[j] > m -> m = num[j] :: else fi } }
proctype P(byte id) { byte j, m;
  do
  :: atomic { maxnum(m); m < 4 -> num[id] = m + 1 };
     atomic { (num[0] == 0 || num[0] >= num[id]) && (num[1] == 0 || num[1] >= num[id]) && (num[2] == 0 || num[2] >= num[id]) -> crit++ };
     assert(crit == 1); crit--; num[id] = 0
  od }
init { atomic { run P(0); run P(1); run P(2) } }
