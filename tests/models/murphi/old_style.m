-- expect: states=30 orbits=30 verdict=holds
/* Keywords in capitals, sections in capitals, rules without names, `endrule` and `end`. */
CONST
  NumProcs: 3;
  Max: NumProcs - 1;
  Debug: TRUE;
TYPE
  Pid: SCALARSET(NumProcs);
  Cnt: 0..Max;
  Loc: ENUM { Out, Try, Crit };
VAR
  l: ARRAY [ Pid ] OF Loc;
  turn: Pid;
  c: Cnt;

PROCEDURE Enter(p: Pid);
BEGIN
  l[p] := Crit;
END;

RULESET p: Pid DO
  RULE l[p] = Out & c < Max ==> BEGIN l[p] := Try; c := c + 1; ENDRULE;
  RULE "enter" l[p] = Try & turn = p ==> Enter(p); END;
  RULE "leave" l[p] = Crit ==> VAR n: Cnt; BEGIN
    n := c; l[p] := Out; c := n - 1;
  END;
  RULE "pass" Debug & turn = p & l[p] = Out ==>
  BEGIN
    FOR q: Pid DO
      IF l[q] = Try THEN turn := q; ENDIF;
    ENDFOR;
  ENDRULE;
ENDRULESET;

RULESET p: Pid DO
  STARTSTATE BEGIN FOR q: Pid DO l[q] := Out; END; turn := p; c := 0; ENDSTARTSTATE;
END;

INVARIANT "mutex" FORALL p: Pid DO FORALL q: Pid DO p != q -> !(l[p] = Crit & l[q] = Crit) END END;
