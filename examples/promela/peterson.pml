// expect: states=2636 transitions=7907 orbits=494 verdict=holds
// Peterson's protocol for three processes.
byte level[4];  // the stage each process waits at; slot 0 is nobody's
pid last[3];  // the process that came last to each stage
byte inside;

proctype user() {
  byte stage;
  bool clear;
  do
  :: stage = 1;
     do
     :: stage < 3 ->
        level[_pid] = stage;
        last[stage] = _pid;
wait:   atomic {
          clear = (_pid == 1 || level[1] < stage) && (_pid == 2 || level[2] < stage) && (_pid == 3 || level[3] < stage);
          if
          :: clear || last[stage] != _pid
          :: else -> goto wait
          fi
        };
        stage++
     :: else -> break
     od;
     atomic { inside++; assert(inside == 1) };
     inside--;
     level[_pid] = 0
  od
}

init {
  atomic {
    run user();
    run user();
    run user();
  }
}
