/* expect: states=4052 own_states=4052 own_orbits=714 own_structure=S3 verdict=fails */
/* the one with the smallest ticket goes */
#define N 3
byte t[N];
byte next = 1;
bool in[N];
proctype P(byte me) {
  byte k, m;
  do
  :: t[me] == 0 && next < 3 -> atomic { t[me] = next; next++ }
  :: t[me] > 0 ->
     d_step { m = 255; for (k : 0 .. N-1) { if :: t[k] > 0 && t[k] < m -> m = t[k] :: else fi } k = 0 }
     if :: t[me] == m -> in[me] = true; assert(in[me]); in[me] = false; t[me] = 0 :: else fi
  od
}
init { byte i; atomic { for (i : 0 .. N-1) { run P(i) } } }
