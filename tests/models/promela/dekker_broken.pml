/* expect: states=100 transitions=228 verdict=fails plain_states=100 plain_transitions=228 */
bool want[2];
byte crit;
active [2] proctype P() {
    do
    :: (!want[1 - _pid]) -> want[_pid] = 1;
        crit++;
        crit-- ;
        want[_pid] = 0
    od
}
active proctype W() {
    end: crit == 2 -> assert(false)
}
