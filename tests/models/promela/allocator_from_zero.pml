/* expect: states=124 transitions=232 verdict=holds plain_states=156 plain_transitions=292 */
#define N 3
chan req = [N] of { byte };
chan grant[N] = [0] of { bit };
chan rel = [0] of { byte };
byte used = 255;
active [N] proctype client() { do :: req!_pid; grant[_pid]?1; assert(used == _pid); rel!_pid od }
active proctype server() { byte who;
  do :: req?who -> used = who; grant[who]!1; rel?eval(who); used = 255 od }
