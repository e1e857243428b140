import { BlockList, isIP } from "node:net";

/**
 * Addresses of private networks, of this machine, and of other special purposes.
 *
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry
 */
const notPublicV4 = blockList("ipv4", [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
]);

/** Global unicast. All other IPv6 addresses are not public, including mapped IPv4 addresses. */
const globalV6 = blockList("ipv6", [["2000::", 3]]);

/**
 * Parts of global unicast that are reserved, or embed other addresses (Teredo, 6to4).
 *
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry
 */
const notPublicV6 = blockList("ipv6", [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
]);

/** Returns whether a text is a public IP address, without brackets. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !notPublicV4.check(address, "ipv4");
  return family === 6 && globalV6.check(address, "ipv6") && !notPublicV6.check(address, "ipv6");
}

/**
 * Returns whether a URL's host is a name or a public address. The sender checks the addresses of a
 * name.
 */
export function hostMayBePublic(url: URL): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  return isIP(host) === 0 || isPublicAddress(host);
}

function blockList(family: "ipv4" | "ipv6", subnets: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of subnets) list.addSubnet(network, prefix, family);
  return list;
}
