/* expect: states=152 own_states=152 own_orbits=34 own_structure=S3 verdict=holds */
/* Channels of one type for different things: jobs are numbers, results say who is done. */
#define N 3
mtype = { idle, busy };
mtype st[N] = idle;
chan job[N] = [1] of { byte };
chan result = [1] of { byte };
byte open;

active proctype dispatcher() {
    byte w;
    do
    :: open < 2 ->
       if
       :: st[0] == idle -> w = 0
       :: st[1] == idle -> w = 1
       :: st[2] == idle -> w = 2
       fi;
       atomic { st[w] = busy; job[w]!1; open++; w = 0 }
    :: result?w ->
       atomic { st[w] = idle; open--; w = 0 }
    od
}

active [N] proctype worker() {
    byte task;
    do
    :: job[_pid - 1]?task;
       task = 0;
       result!(_pid - 1)
    od
}
