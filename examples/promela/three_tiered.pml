// expect: states=7597 transitions=31562 orbits=1038 verdict=holds
// A database, two servers, two clients at each.
mtype = { request, answer, query, result };
chan to_database = [2] of { mtype, chan };
chan to_server1 = [1] of { mtype, chan };
chan to_server2 = [1] of { mtype, chan };
chan results1 = [1] of { mtype };
chan results2 = [1] of { mtype };
chan answers1 = [1] of { mtype };
chan answers2 = [1] of { mtype };
chan answers3 = [1] of { mtype };
chan answers4 = [1] of { mtype };
chan nobody = [0] of { mtype };

proctype client(chan answers, line) {
  do
  :: line!request,answers;
     answers?answer
  od
}

proctype server(chan requests, results) {
  chan asker = nobody;
  do
  :: requests?request,asker;
     to_database!query,results;
     results?result;
     asker!answer;
     asker = nobody
  od
}

proctype database() {
  chan asker = nobody;
  do
  :: to_database?query,asker;
     asker!result;
     asker = nobody
  od
}

init {
  atomic {
    run database();
    run server(to_server1, results1);
    run server(to_server2, results2);
    run client(answers1, to_server1);
    run client(answers2, to_server1);
    run client(answers3, to_server2);
    run client(answers4, to_server2);
  }
}
