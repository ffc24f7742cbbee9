"""`python -m appliance`: the same as the command `appliance`."""

from appliance.cli.main import main

if __name__ == "__main__":
    main()
