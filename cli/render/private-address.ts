/** The advice of a refused address, with the host of the entry that would allow the address. */
const advice = /set allowPrivateNetwork in an entry of ([\w.:[\]-]+) in lookout\.yaml/g;

/** Returns the lines of `lookout.yaml` that allow the address of a registry. */
export function entryToAllow(host: string): readonly string[] {
  return ["registries:", `  - host: ${host}`, "    allowPrivateNetwork: true"];
}

/** Returns what to paste into `lookout.yaml` for all refused addresses of an answer; empty without one. */
export function addressesToAllow(view: object): readonly string[] {
  const hosts = [...new Set([...JSON.stringify(view).matchAll(advice)].map(([, host = ""]) => host))];
  if (hosts.length === 0) return [];
  const entries = hosts.sort().flatMap((host) => entryToAllow(host).slice(1));
  return [
    "To allow addresses that are not public, add to lookout.yaml:",
    "  registries:",
    ...entries.map((line) => `  ${line}`),
  ];
}
