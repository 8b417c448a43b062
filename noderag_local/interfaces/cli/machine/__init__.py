"""Commands about this machine: its checks, its models, its terminal."""
