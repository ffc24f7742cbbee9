"""The sample people, where a list of applications takes three seconds."""

import sys
import time

from appliance.samples import people
from appliance.samples.records import Applications, Records

SECONDS = 3.0
_at_once = Records.applications


def slowly(self: Records, person_id: str) -> Applications:
    time.sleep(SECONDS)
    return _at_once(self, person_id)


if __name__ == "__main__":
    Records.applications = slowly  # type: ignore[method-assign]
    sys.exit(people.main([]))
