/* expect: states=42 transitions=67 verdict=holds plain_states=60 plain_transitions=99 */
chan q = [2] of { byte };
byte g;
active proctype P() {
    byte i;
    do
    :: i < 2 -> q!i;
        i++
    :: else -> break
    od
}
active proctype C() {
    byte x, t;
    do
    :: q?x;
        t = x;
        t++;
        x = t;
        g = x
    :: g == 2 -> break
    od
}
