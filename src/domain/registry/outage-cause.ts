/** The words of common errors of connections, by their codes. */
const causes: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection lost",
  ENOTFOUND: "unknown host",
  EAI_AGAIN: "no answer from DNS",
  EHOSTUNREACH: "no route to the host",
  ENETUNREACH: "no route to the network",
  ETIMEDOUT: "no answer in time",
};

/**
 * Returns the cause of an outage in a few words, without the registry's host: `connection refused`.
 */
export function outageCause(registry: string, detail: string): string {
  const code = /^\S+ could not be reached \((.+)\)$/.exec(detail)?.[1];
  if (code !== undefined) return Object.hasOwn(causes, code) ? (causes[code] ?? code) : code;
  return detail.startsWith(`${registry} `) ? detail.slice(registry.length + 1) : detail;
}
