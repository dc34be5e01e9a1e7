/* Clients meet a server on channels without buffers. */
mtype = { ask, reply };
chan to_server = [0] of { mtype, byte };
chan back = [0] of { mtype, byte };
byte served = 0;
byte last = 9;
active [2] proctype Client() {
  do
  :: to_server!ask, _pid;
     back?reply, eval(_pid)
  od
}
active proctype Server() {
  byte who;
  do
  :: to_server?ask, who ->
     served = 1; last = who;
     back!reply, who;
     served = 0
  od
}
ltl works { []<> (served == 1) }
ltl answers { [] (served == 1 -> <> (served == 0)) }
ltl zero { []<> (last == 0) }
ltl both { []<> (last == 0) && []<> (last == 1) }
ltl some { []<> (last == 0) || []<> (last == 1) }
ltl never_one { [] (last != 1) }
