"""Run `cogames agents audit` under its documented script name; `--help` lists the options."""

from cogames_agents.audit.entries import run_script

if __name__ == "__main__":
    run_script("audit")
