"""The policy server's messages: `policy.proto`, and `policy_pb2` made from it by `scripts/protobuf.py`."""
