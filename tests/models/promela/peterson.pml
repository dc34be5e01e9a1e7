/* expect: states=38 transitions=65 verdict=holds plain_states=38 plain_transitions=65 */
bool flag[2];
byte turn;
byte crit;
active [2] proctype P() {
    do
    :: flag[_pid] = 1;
        turn = 1 - _pid;
        (!flag[1 - _pid] || turn == _pid);
        crit++;
        assert(crit == 1);
        crit--;
        flag[_pid] = 0
    od
}
