"""The tour of docs/use/tour.md with a generated client. README.md describes how to generate `keyfold_client` and run it."""

import base64
import hashlib
import hmac
import sys
import time

from keyfold_client import AuthenticatedClient, Client
from keyfold_client.api.administration import create_user, delete_user
from keyfold_client.api.login import login, logout
from keyfold_client.api.profile import get_profile
from keyfold_client.api.public import get_public_settings
from keyfold_client.api.ssh_keys import add_ssh_key, list_ssh_keys
from keyfold_client.api.two_factor import enable_two_factor, generate_two_factor_secret
from keyfold_client.models import AddKeyRequest, Fault, LoginRequest, UserRequest, VerifyRequest

base_url, admin_password, key = sys.argv[1:]


def send(operation, client, **request):
    """Returns the answer of an operation, as text and as an object."""
    response = operation.sync_detailed(client=client, **request)
    answer = response.parsed
    if answer is None or isinstance(answer, Fault):
        raise SystemExit(f"HTTP {response.status_code}: {response.content.decode()}")
    return response.content.decode(), answer


def show(operation, client, **request):
    """Prints the answer of an operation."""
    print(send(operation, client, **request)[0])


def log_in(**body):
    """Returns a client with a token, or None if two-factor login requires a code."""
    text, answer = send(login, Client(base_url=base_url), body=LoginRequest(**body))
    if answer.code == 402:
        print(text)
    elif answer.data is None:
        raise SystemExit(f"login failed: {answer.message}")
    return answer.data and AuthenticatedClient(base_url=base_url, token=answer.data.token)


def one_time_code(secret, seconds):
    """Returns the code of a time (RFC 6238)."""
    mac = hmac.digest(base64.b32decode(secret), int(seconds // 30).to_bytes(8, "big"), hashlib.sha1)
    offset = mac[-1] & 0x0F
    return f"{(int.from_bytes(mac[offset : offset + 4], 'big') & 0x7FFFFFFF) % 1_000_000:06}"


admin = log_in(username="admin", password=admin_password)
show(get_profile, admin)

show(create_user, admin, body=UserRequest(username="alice", password="correct horse", base_path="/alice"))
alice = log_in(username="alice", password="correct horse")
_, profile = send(get_profile, alice)

show(add_ssh_key, alice, body=AddKeyRequest(title="laptop", key=key))
show(list_ssh_keys, alice, page=1)

_, enrolment = send(generate_two_factor_secret, alice)
secret = enrolment.data.secret
show(enable_two_factor, alice, body=VerifyRequest(secret=secret, code=one_time_code(secret, time.time())))

log_in(username="alice", password="correct horse")
# Each code works once, and the proof used the current one. The next one is already valid.
code = one_time_code(secret, time.time() + 30)
again = log_in(username="alice", password="correct horse", otp_code=code)
show(get_profile, again)

show(logout, again)
show(get_profile, again)
show(get_public_settings, Client(base_url=base_url))
show(delete_user, admin, id=profile.data.id)
