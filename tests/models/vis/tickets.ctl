AG(!(pc<*0*>=CS * pc<*1*>=CS));  # fails
AG(pc<*0*>=W -> AF(pc<*0*>=CS));  # holds
AG(EF(tick<*1*>[1:0]=2));  # holds
EF(tick<*0*>[1:0]=3);  # holds
