// expect: states=13005 transitions=46040 orbits=1178 verdict=holds
// Three clients, a balancer, two servers.
mtype = { request, answer };
chan desk1 = [3] of { mtype, chan };
chan work1 = [2] of { mtype, chan };
chan work2 = [2] of { mtype, chan };
chan answers1 = [1] of { mtype };
chan answers2 = [1] of { mtype };
chan answers3 = [1] of { mtype };
chan nobody = [0] of { mtype };

proctype client(chan answers, desk) {
  do
  :: desk!request,answers;
     answers?answer
  od
}

proctype balancer(chan desk, s1, s2) {
  chan asker = nobody;
  do
  :: desk?request,asker;
     if
     :: len(s1) <= len(s2) -> s1!request,asker
     :: len(s2) <= len(s1) -> s2!request,asker
     fi;
     asker = nobody
  od
}

proctype server(chan work) {
  chan asker = nobody;
  do
  :: work?request,asker;
     asker!answer;
     asker = nobody
  od
}

init {
  atomic {
    run balancer(desk1, work1, work2);
    run client(answers1, desk1);
    run client(answers2, desk1);
    run client(answers3, desk1);
    run server(work1);
    run server(work2);
  }
}
