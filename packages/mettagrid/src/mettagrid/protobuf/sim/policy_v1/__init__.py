"""The policy server's messages: `policy.proto`, and `policy_pb2`, which `scripts/protobuf.py` generates from it."""
