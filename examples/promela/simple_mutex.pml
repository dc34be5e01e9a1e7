// expect: states=257 transitions=1058 orbits=14 verdict=holds
// Mutual exclusion of six users.
mtype = { idle, trying, critical };
mtype at[7] = idle;  // slot 0 is nobody's

proctype user() {
  do
  :: d_step { at[_pid] == idle -> at[_pid] = trying }
  :: d_step { at[_pid] == trying && (at[1] != critical && at[2] != critical && at[3] != critical && at[4] != critical && at[5] != critical && at[6] != critical) -> at[_pid] = critical }
  :: d_step { at[_pid] == critical -> at[_pid] = idle }
  od
}

init {
  atomic {
    run user();
    run user();
    run user();
    run user();
    run user();
    run user();
  }
}
