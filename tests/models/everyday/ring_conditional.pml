/* expect: states=21 own_states=21 own_orbits=5 own_structure=C5 verdict=holds */
/* token ring; next written as a conditional */
#define N 5
bool token[N];
byte use;
proctype station(byte n) {
  byte nxt = (n == N-1 -> 0 : n+1);
  do
  :: token[n] -> use++; use--; atomic { token[n] = 0; token[nxt] = 1 }
  od
}
init { byte i; atomic { token[0] = 1; for (i : 0 .. N-1) { run station(i) } } }
