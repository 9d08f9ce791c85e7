"""Inputs and digests that freeze what the oracles (tokenizers, tiktoken) answer."""
