/* expect: states=49 transitions=162 verdict=holds plain_states=147 plain_transitions=484 */
/* a scratch variable that SPIN keeps out of the state */
hidden byte scan;
byte level[3];
byte chosen;

active [2] proctype worker() {
    do
    :: level[_pid] < 2 -> level[_pid]++
    :: level[_pid] > 0 -> level[_pid]--
    od
}

active proctype chooser() {
    do
    :: atomic {
           scan = 2;
           do
           :: scan > 0 && level[0] != scan && level[1] != scan -> scan--
           :: else -> break
           od;
           chosen = scan
       }
    od
}
