"""A person starts a server where one runs already, or where another program has the address."""

import re

from program import tone_alone

SETTINGS = tone_alone()


def test_the_log_names_the_address_once(start_server):
    server = start_server()
    assert re.search(rf"(?m)listening on 127\.0\.0\.1:{server.port}$", server.log())
