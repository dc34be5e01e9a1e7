/* expect: states=12 transitions=12 verdict=holds plain_states=12 plain_transitions=12 */
byte x
active proctype P()
{	byte y = 1

	x = y
	if
	:: x == 1 ->
		x = 2
	:: else
	fi
	do
	:: x < 4 -> x++;;
	:: x == 4 -> break;
	od;
	atomic {
		x--
		x--;
	}
	assert(x == 2);
}
