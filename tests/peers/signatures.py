"""Slack's SDK signs a request, or checks a signature:

python signatures.py SECRET TIMESTAMP < BODY              prints the signature
python signatures.py SECRET TIMESTAMP SIGNATURE < BODY    prints True or False
"""

import sys

from slack_sdk.signature import SignatureVerifier

secret, timestamp, *signature = sys.argv[1:]
body = sys.stdin.buffer.read()
verifier = SignatureVerifier(secret)
if signature:
    print(verifier.is_valid(body=body, timestamp=timestamp, signature=signature[0]))
else:
    print(verifier.generate_signature(timestamp=timestamp, body=body))
