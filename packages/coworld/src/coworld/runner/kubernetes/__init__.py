"""Run an episode in a Kubernetes cluster: the programs of the Job, and the client that submits it (decision 0024).

settings        the environment variables of the Job's containers
init_config     init container: tokens, the game's config, staged player files
worker          the container beside the game: probes, players, verdict, outputs
job             the Job document
remote          submit a Job from outside, wait for its outputs, delete it
"""
