/* expect: states=6658 own_states=6658 own_orbits=373 own_structure=S4 verdict=holds */
/* timestamps: the next is one more than the greatest, which a loop finds */
#define N 4
byte ts[N]; bool req[N]; byte cs;
proctype P(byte i) {
  byte j, mx; bool ok;
  do
  :: d_step { mx = 0; j = 0; do :: j < N -> if :: ts[j] > mx -> mx = ts[j] :: else fi; j++ :: else -> break od; ts[i] = (mx < 3 -> mx + 1 : 0); req[i] = true; j = 0; mx = 0 };
     atomic { cs == 0 -> cs++ };
     cs--; d_step { req[i] = false; ts[i] = 0 }
  od
}
init { byte k; atomic { do :: k < N -> run P(k); k++ :: k >= N -> break od } }
