// expect: states=75356 transitions=409727 orbits=12706 verdict=holds
// Peterson's protocol for three processes that look at each other one by one.
byte level[4];  // the stage each process waits at; slot 0 is nobody's
pid last[3];  // the process that came last to each stage
byte inside;

proctype user() {
  byte stage;
  bool seen[4];
  bool clear;
  do
  :: stage = 1;
     do
     :: stage < 3 ->
        level[_pid] = stage;
        last[stage] = _pid;
wait:   atomic { clear = true; seen[_pid] = true };
        do
        :: !clear || (seen[1] && seen[2] && seen[3]) ->
           atomic {
             do
             :: seen[1] -> seen[1] = false
             :: seen[2] -> seen[2] = false
             :: seen[3] -> seen[3] = false
             :: else -> break
             od;
             break
           }
        :: d_step { !seen[1] -> clear = clear && level[1] < stage; seen[1] = true }
        :: d_step { !seen[2] -> clear = clear && level[2] < stage; seen[2] = true }
        :: d_step { !seen[3] -> clear = clear && level[3] < stage; seen[3] = true }
        od;
        if
        :: atomic { clear || last[stage] != _pid -> clear = false }
        :: atomic { else -> clear = false; goto wait }
        fi;
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
