// expect: states=353 transitions=1094 orbits=81 verdict=holds
// Two clients of low priority and three of high priority.
mtype = { request, granted, finished };
chan line1 = [1] of { mtype };
chan line2 = [1] of { mtype };
chan line3 = [1] of { mtype };
chan line4 = [1] of { mtype };
chan line5 = [1] of { mtype };
chan nobody = [0] of { mtype };
pid user;
byte rank[7];

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
       (line1?[request] || line2?[request] || line3?[request] || line4?[request] || line5?[request]);
       wanted = 1;
       do
       :: rank[1] == wanted && line1?[request] -> served = line1; break
       :: rank[2] == wanted && line2?[request] -> served = line2; break
       :: rank[3] == wanted && line3?[request] -> served = line3; break
       :: rank[4] == wanted && line4?[request] -> served = line4; break
       :: rank[5] == wanted && line5?[request] -> served = line5; break
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
    run allocator();
    rank[1] = 0;
    rank[2] = 0;
    rank[3] = 1;
    rank[4] = 1;
    rank[5] = 1;
  }
}
