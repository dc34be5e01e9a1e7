// expect: states=209 transitions=305 orbits=10 verdict=holds
// A packet in a cube of three dimensions.
mtype = { packet };
chan wire1 = [1] of { mtype };
chan wire2 = [1] of { mtype };
chan wire3 = [1] of { mtype };
chan wire4 = [1] of { mtype };
chan wire5 = [1] of { mtype };
chan wire6 = [1] of { mtype };
chan wire7 = [1] of { mtype };
chan wire8 = [1] of { mtype };
pid goal;

proctype node(chan in, out0, out1, out2) {
loop: atomic { in?packet;
  if
  :: goal == _pid ->
     if
     :: _pid != 1 -> goal = 1
     :: _pid != 2 -> goal = 2
     :: _pid != 3 -> goal = 3
     :: _pid != 4 -> goal = 4
     :: _pid != 5 -> goal = 5
     :: _pid != 6 -> goal = 6
     :: _pid != 7 -> goal = 7
     :: _pid != 8 -> goal = 8
     fi
  :: else
  fi };
  if
  :: ((_pid == 1 || _pid == 3 || _pid == 5 || _pid == 7) && (goal == 2 || goal == 4 || goal == 6 || goal == 8)) || ((_pid == 2 || _pid == 4 || _pid == 6 || _pid == 8) && (goal == 1 || goal == 3 || goal == 5 || goal == 7)) -> out0!packet
  :: ((_pid == 1 || _pid == 2 || _pid == 5 || _pid == 6) && (goal == 3 || goal == 4 || goal == 7 || goal == 8)) || ((_pid == 3 || _pid == 4 || _pid == 7 || _pid == 8) && (goal == 1 || goal == 2 || goal == 5 || goal == 6)) -> out1!packet
  :: ((_pid == 1 || _pid == 2 || _pid == 3 || _pid == 4) && (goal == 5 || goal == 6 || goal == 7 || goal == 8)) || ((_pid == 5 || _pid == 6 || _pid == 7 || _pid == 8) && (goal == 1 || goal == 2 || goal == 3 || goal == 4)) -> out2!packet
  fi;
  goto loop
}

init {
  atomic {
    run node(wire1, wire2, wire3, wire5);
    run node(wire2, wire1, wire4, wire6);
    run node(wire3, wire4, wire1, wire7);
    run node(wire4, wire3, wire2, wire8);
    run node(wire5, wire6, wire7, wire1);
    run node(wire6, wire5, wire8, wire2);
    run node(wire7, wire8, wire5, wire3);
    run node(wire8, wire7, wire6, wire4);
    if
    :: wire1!packet; goal = 1
    :: wire2!packet; goal = 2
    :: wire3!packet; goal = 3
    :: wire4!packet; goal = 4
    :: wire5!packet; goal = 5
    :: wire6!packet; goal = 6
    :: wire7!packet; goal = 7
    :: wire8!packet; goal = 8
    fi
  }
}
