"""Lints policies with parliament. Reads {where: policy} from stdin, and writes [{rule, where, message}] to stdout."""

import json
import sys
import warnings

# parliament loads its data with a deprecated module.
warnings.filterwarnings("ignore", category=UserWarning)

from parliament import analyze_policy_string, enhance_finding

# Positions in the text of a policy. They change with each edit.
positions = ("line", "column", "filepath")
findings = []
for where, policy in json.load(sys.stdin).items():
    for finding in analyze_policy_string(json.dumps(policy)).findings:
        place = {key: value for key, value in finding.location.items() if key not in positions}
        if enhance_finding(finding).severity != "MUTE":
            message = f"{finding.title}: {finding.detail} {json.dumps(place, default=str)}"
            findings.append({"rule": finding.issue, "where": where, "message": message})
json.dump(findings, sys.stdout)
