AG(col=R * e1=1 -> AX(col=G));  # holds
AG(z=1 -> AX(col=B));  # holds
AG(nx=B -> col=G);  # holds
AG(EF(col=B));  # holds
AF(col=G);  # fails
