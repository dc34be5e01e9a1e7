AG(AF(r.got=1));  # holds
AG(s.st=SEND1 -> r.exp=1);  # holds
AG(r.got=1 -> AX(r.got=0));  # holds
AG(EF s.st=WAIT1);  # holds
AG(s.st=SEND0 -> !a=M0);  # holds
