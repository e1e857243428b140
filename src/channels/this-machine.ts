const names: readonly string[] = ["127.0.0.1", "[::1]", "localhost"];

/** Returns whether an address is of this machine. Only such an address may be without TLS. */
export function isOnThisMachine({ protocol, hostname }: URL): boolean {
  return names.includes(hostname) && /^https?:$/.test(protocol);
}
