import { BlockList, isIP } from "node:net";

/**
 * Addresses that are somebody's own network, this machine, or another address in disguise.
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

/** Global unicast; everything else, with `::ffff:0:0/96` and `64:ff9b::/96`, is not public. */
const globalV6 = blockList("ipv6", [["2000::", 3]]);

/** Parts of global unicast that carry other addresses (Teredo, 6to4) or nobody's. @see https://www.iana.org/assignments/iana-ipv6-special-registry */
const notPublicV6 = blockList("ipv6", [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
]);

/** Answers whether an IP address, written without brackets, is reachable from anywhere. What is no address is not. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !notPublicV4.check(address, "ipv4");
  return family === 6 && globalV6.check(address, "ipv6") && !notPublicV6.check(address, "ipv6");
}

/**
 * Answers whether a URL's host may be asked for by name or is itself a public address.
 *
 * A name proves nothing yet: the sender judges the addresses that it resolves to.
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
