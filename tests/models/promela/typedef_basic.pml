/* expect: states=7 transitions=7 verdict=holds plain_states=7 plain_transitions=7 */
typedef Point {
    byte x;
    byte y
};
Point p;
Point q[2];
active proctype A() {
    p.x = 1;
    p.y = p.x + 1;
    q[1].x = p.y;
    q[0].y = q[1].x;
    assert(q[0].y == 2 && q[1].y == 0)
}
