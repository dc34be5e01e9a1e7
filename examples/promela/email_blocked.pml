// expect: states=260427 transitions=578992 orbits=12985 verdict=holds
// Five clients; the mailer drops what client 3 writes.
chan box1 = [1] of { pid, pid };
chan box2 = [1] of { pid, pid };
chan box3 = [1] of { pid, pid };
chan box4 = [1] of { pid, pid };
chan box5 = [1] of { pid, pid };
chan network = [5] of { pid, pid };
pid read_from;
byte under_way;

proctype mailer() {
  pid from, to;
  pid muted = 3;
  chan target;
  do
  :: network?from,to;
     if
     :: from == muted -> under_way--
     :: else ->
        if
        :: to == 1 -> target = box1
        :: to == 2 -> target = box2
        :: to == 3 -> target = box3
        :: to == 4 -> target = box4
        :: to == 5 -> target = box5
        fi;
        target!from,to
     fi
  od
}

proctype client(chan inbox) {
  pid from, to;
  do
  :: atomic { inbox?from,to; assert(to == _pid); read_from = from; under_way--; from = 0; to = 0 }
  :: atomic {
       under_way < 2 -> under_way++;
       if
       :: network!_pid,1
       :: network!_pid,2
       :: network!_pid,3
       :: network!_pid,4
       :: network!_pid,5
       fi
     }
  od
}

init {
  atomic {
    run client(box1);
    run client(box2);
    run client(box3);
    run client(box4);
    run client(box5);
    run mailer();
  }
}

ltl nothing_from_3 { [] (read_from != 3) }
