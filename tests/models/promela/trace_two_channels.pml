/* expect: states=39 transitions=53 verdict=holds plain_states=39 plain_transitions=53 */
mtype = {send, ack}; chan p2 = [1] of { mtype, byte }; chan p1 = [1] of { mtype, byte };
trace { do :: p2!send,_; p1!ack,_ od }
active proctype P() { byte v = 1, r; do :: v <= 3 -> p2!send,v; p1?ack,r; v++ :: else -> break od }
active proctype Q() { byte n; do :: p2?send,n -> p1!ack,n; if :: n == 3 -> break :: else fi od }
