/* expect: states=155 own_states=72 own_orbits=33 own_structure=S3 verdict=holds */
byte total;
proctype worker(byte share) {
  byte seen;
  seen = total;
  total = seen + share
}
init {
  byte k;
  atomic {
    for (k : 1 .. 3) {
      run worker(1)
    }
  }
  _nr_pr == 1;
  assert(total >= 1 && total <= 3)
}
