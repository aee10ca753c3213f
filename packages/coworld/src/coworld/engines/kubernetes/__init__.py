"""Run players as pods of a Kubernetes cluster, beside a game that the cluster has started: see decision 0024."""
