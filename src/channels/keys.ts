import * as z from "zod";
import { isOnThisMachine } from "./this-machine.ts";

const aNetwork = "a network such as 10.0.0.0/8";

/** The key of kinds whose servers may be in networks without public addresses. */
export const allowNetworks = z
  .array(z.string(aNetwork).refine(isNetwork, `expected ${aNetwork}`), "a list of networks")
  .min(1, "at least one network")
  .readonly()
  .exactOptional()
  .describe("The networks without public addresses that the channel may reach, such as 10.0.0.0/8. Default: none.");

function isNetwork(text: string): boolean {
  return [z.cidrv4(), z.cidrv6()].some((form) => form.safeParse(text).success);
}

const anAddress = "an https:// address without a user, a query or a fragment";

/** Returns the schema of an address. Only an address of this machine may be without TLS. */
export function address(description: string) {
  return z.string(anAddress).refine(isAddress, `expected ${anAddress}`).describe(description);
}

function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  const { protocol, username, password, search, hash } = url;
  return (protocol === "https:" || isOnThisMachine(url)) && username + password + search + hash === "";
}
