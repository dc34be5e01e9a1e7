# Two stations are never served at once.
AG two=0;
AG EF idle=1;
