/* expect: states=203 transitions=485 verdict=holds plain_states=203 plain_transitions=485 */
#define CHAIRS 2
chan room = [CHAIRS] of { byte };
chan door = [0] of { byte };
byte chair;
proctype barber() { byte c; do :: room?c -> chair = c; door!c; chair = 0 od }
proctype customer(byte id) { do :: room!id; door?eval(id) :: full(room) -> skip od }
init { atomic { run barber(); run customer(1); run customer(2); run customer(3) } }
