/* expect: states=741 own_states=525 own_orbits=219 own_structure=S3 verdict=holds */
/* two-phase commit: a coordinator tells all to prepare, collects votes and tells what was decided */
#define N 3
mtype = { prepare, yes, no, commit, abort };
chan toPart[N] = [2] of { mtype };
chan toCoord = [N] of { mtype };
byte committed, aborted;

proctype coordinator() {
  byte i, votes, ok;
  i = 0;
  atomic { do :: i < N -> toPart[i]!prepare; i++ :: else -> break od };
  do
  :: votes < N ->
     if
     :: toCoord?yes -> atomic { ok++; votes++ }
     :: toCoord?no -> votes++
     fi
  :: else -> break
  od;
  i = 0;
  atomic {
    if
    :: ok == N -> do :: i < N -> toPart[i]!commit; i++ :: else -> break od
    :: else -> do :: i < N -> toPart[i]!abort; i++ :: else -> break od
    fi
  }
}
proctype participant(byte me) {
  toPart[me]?prepare;
  if
  :: toCoord!yes
  :: toCoord!no
  fi;
  if
  :: toPart[me]?commit -> committed++
  :: toPart[me]?abort -> aborted++
  fi;
  assert(committed == 0 || aborted == 0)
}
init {
  byte i;
  atomic {
    run coordinator();
    i = 0;
    do :: i < N -> run participant(i); i++ :: else -> break od
  }
}
