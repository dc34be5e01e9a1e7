/* expect: states=8 transitions=8 verdict=fails plain_states=8 plain_transitions=8 */
mtype = {send, ack}; chan p2 = [1] of { mtype }; chan p1 = [1] of { mtype };
trace { p2!send; p1!ack; p2?send }
active proctype P() { p2!send; p1!ack }
active proctype Q() { p1?ack; p2?send; p2!send }
