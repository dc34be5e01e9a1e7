// expect: states=4353 transitions=20002 orbits=186 verdict=holds
// Eight clients of two priorities in turn.
mtype = { request, granted, finished };
chan line1 = [1] of { mtype };
chan line2 = [1] of { mtype };
chan line3 = [1] of { mtype };
chan line4 = [1] of { mtype };
chan line5 = [1] of { mtype };
chan line6 = [1] of { mtype };
chan line7 = [1] of { mtype };
chan line8 = [1] of { mtype };
chan nobody = [0] of { mtype };
pid user;
byte rank[10];

proctype client(chan line) {
  do
  :: line!request;
     atomic { line?granted; user = _pid; assert(rank[_pid] <= 1) };
     atomic { user = 0; line!finished }
  od
}

proctype allocator() {
  chan served = nobody;
  byte wanted;
  do
  :: atomic {
       (line1?[request] || line2?[request] || line3?[request] || line4?[request] || line5?[request] || line6?[request] || line7?[request] || line8?[request]);
       wanted = 1;
       do
       :: rank[1] == wanted && line1?[request] -> served = line1; break
       :: rank[2] == wanted && line2?[request] -> served = line2; break
       :: rank[3] == wanted && line3?[request] -> served = line3; break
       :: rank[4] == wanted && line4?[request] -> served = line4; break
       :: rank[5] == wanted && line5?[request] -> served = line5; break
       :: rank[6] == wanted && line6?[request] -> served = line6; break
       :: rank[7] == wanted && line7?[request] -> served = line7; break
       :: rank[8] == wanted && line8?[request] -> served = line8; break
       :: else -> wanted--
       od;
       served?request
     };
     served!granted;
     d_step { served?finished; served = nobody }
  od
}

init {
  atomic {
    run client(line1);
    run client(line2);
    run client(line3);
    run client(line4);
    run client(line5);
    run client(line6);
    run client(line7);
    run client(line8);
    run allocator();
    rank[1] = 0;
    rank[2] = 1;
    rank[3] = 0;
    rank[4] = 1;
    rank[5] = 0;
    rank[6] = 1;
    rank[7] = 0;
    rank[8] = 1;
  }
}
