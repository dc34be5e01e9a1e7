EF(o1=1);  # holds
EF(o1=1 * o2=1);  # holds
AG(o1=1 -> AG o1=1);  # holds
EX:3(o1=1);  # holds
EX:3(o2=1);  # holds
!EX:3(o1=1 * o2=1);  # holds
AG EF(o2=1);  # holds
