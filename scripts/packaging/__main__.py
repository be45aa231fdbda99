"""python -m graspmc: the command line."""
from graspmc import main

main()
