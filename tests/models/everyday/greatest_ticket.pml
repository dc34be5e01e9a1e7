/* expect: states=2513 own_states=297 own_orbits=61 own_structure=S3 verdict=holds */
/* bakery: ticket taken in d_step as max + 1, bounded */
#define N 3
byte num[N];
byte crit;
proctype P(byte i) {
  byte j, mx;
  do
  :: num[i] == 0 ->
     d_step { mx = 0; j = 0;
       do :: j < N -> if :: num[j] > mx -> mx = num[j] :: else fi; j++ :: else -> break od;
       if :: mx < 2 -> num[i] = mx + 1 :: else fi }
  :: num[i] > 0 && crit == 0 -> atomic { crit = crit + 1; } crit = crit - 1; num[i] = 0
  od
}
init { atomic { run P(0); run P(1); run P(2) } }
