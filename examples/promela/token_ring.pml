// expect: states=7886 transitions=19654 orbits=1976 verdict=holds
// Four stations elect a leader.
chan wire1 = [1] of { byte, pid };
chan wire2 = [1] of { byte, pid };
chan wire3 = [1] of { byte, pid };
chan wire4 = [1] of { byte, pid };
chan urn = [4] of { byte };

proctype station(chan in, out) {
  byte mine, number;
  pid who, leader;
  urn?mine;
  out!mine,_pid;
end:
  do
  :: in?number,who;
     if
     :: number == 0 -> leader = who; out!0,who
     :: number > mine -> out!number,who
     :: number != 0 && number < mine
     :: number == mine -> leader = _pid; out!0,_pid; in?0,_pid
     fi
  od
}

proctype dealer() {
  urn!1;
  urn!2;
  urn!3;
  urn!4;
}

init {
  atomic {
    run dealer();
    run station(wire4, wire1);
    run station(wire1, wire2);
    run station(wire2, wire3);
    run station(wire3, wire4);
  }
}
