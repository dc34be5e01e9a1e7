/* expect: states=101 transitions=165 verdict=holds plain_states=101 plain_transitions=165 */
chan q = [3] of { byte, byte };
active [2] proctype P() {
    q!_pid,1;
    q!_pid,2
}
active proctype C() {
    byte who, what;
    end: do
    :: q?who,what -> assert(who < 2 && what > 0)
    od
}
