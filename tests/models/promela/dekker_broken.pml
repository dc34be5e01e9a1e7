/* expect: verdict=fails */
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
