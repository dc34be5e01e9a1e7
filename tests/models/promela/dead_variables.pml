/* expect: states=171 transitions=321 verdict=holds plain_states=171 plain_transitions=321 */
chan q = [1] of { byte };
byte s;
active proctype P() {
    byte i;
    do
    :: i = 3;
        q!i
    :: i = 4;
        q!i
    od
}
active proctype C() {
    byte x, y = 6;
    do
    :: q?x;
        y = x + 1;
        s = y
    :: s > 4 -> s = 0
    od
}
