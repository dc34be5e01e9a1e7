/* expect: states=4 own_states=4 own_orbits=2 own_structure=S3 verdict=holds */
/* Only the formula shifts by N, which stands for nobody: there is a bit for it all the same. */
#define N 3
byte mask;
byte who = N;

active [N] proctype member() {
    do
    :: atomic { (mask & (1 << _pid)) == 0 && who == N -> mask = mask | (1 << _pid); who = _pid }
    :: atomic { who == _pid -> mask = mask & ~(1 << _pid); who = N }
    od
}

ltl alone { [] ((mask & (1 << who)) == 0 -> mask == 0) }
