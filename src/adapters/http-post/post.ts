import { BlockList, isIP } from "node:net";
import type { Post, PostAnswer, PostRequest } from "#ports/post";
import { readUpTo } from "../shared/bounded-body.ts";
import { addressNotPublicCode, type LookupAll, openHttp, type SendHttp } from "../shared/http-send.ts";
import { isPublicAddress } from "../shared/public-address.ts";

/** The settings of {@link httpPost}. */
export interface HttpPostOptions {
  /** True if no request may reach this machine, whatever the configuration says. */
  readonly isServerless: boolean;
  /** The certificate authorities of tests. Absent: those of the system. */
  readonly ca?: string;
  readonly timeoutMs?: number;
  /** Resolves names. Absent: the system's resolver. */
  readonly lookup?: LookupAll;
}

const usualTimeoutMs = 15_000;
const connectMs = 5_000;
const mostBytes = 16 * 1_024;
const namesOfThisMachine: readonly string[] = ["127.0.0.1", "[::1]", "localhost"];

/**
 * Returns a sender of requests to addresses of the configuration. A name is resolved once, and all its
 * addresses have to be public or in the allowed networks. Only this machine may be asked without TLS.
 */
export function httpPost({
  isServerless,
  ca,
  timeoutMs: ownTimeoutMs = usualTimeoutMs,
  lookup,
}: HttpPostOptions): Post {
  const senders = new Map<string, SendHttp>();
  const senderFor = (networks: readonly string[]): SendHttp => {
    const key = networks.join(" ");
    const isAllowed = inNetworks(networks);
    const mayDial = (address: string): boolean =>
      isPublicAddress(address) || (isAllowed(address) && !(isServerless && isOfThisMachine(address)));
    const options = { connectMs, keepMs: 5_000, mayDial, ...(ca && { ca }), ...(lookup && { lookup }) };
    const sender = senders.get(key) ?? openHttp(options).send;
    senders.set(key, sender);
    return sender;
  };
  return async (request: PostRequest): Promise<PostAnswer> => {
    const { method = "POST", url, headers, body, allowNetworks = [], timeoutMs = ownTimeoutMs } = request;
    const fault = faultOf(url);
    if (fault !== undefined) return { kind: "forbidden", why: fault };
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const call = { method, headers, body, signal, repeatable: false };
      const reply = await senderFor(allowNetworks)(url, call);
      const content = await readUpTo(mostBytes, reply.body);
      return {
        kind: "answered",
        status: reply.statusCode,
        headers: Object.fromEntries(
          Object.entries(reply.headers).map(([name, value]) => [name, [value].flat()[0] ?? ""]),
        ),
        body: content?.toString("utf8") ?? "",
      };
    } catch (error) {
      const { host } = new URL(url);
      return signal.aborted
        ? { kind: "unanswered", why: `${host} gave no answer in ${timeoutMs / 1_000} s` }
        : failureOf(error, host);
    }
  };
}

/** Returns why nothing may be sent to an address, or undefined. */
function faultOf(url: string): string | undefined {
  if (!URL.canParse(url)) return "the address is no URL";
  const { host, hostname, protocol } = new URL(url);
  const isSafe = protocol === "https:" || (protocol === "http:" && namesOfThisMachine.includes(hostname));
  return isSafe ? undefined : `${host} needs an address that begins with https://`;
}

function failureOf(error: unknown, host: string): PostAnswer {
  const { code } = error as { readonly code?: unknown };
  return code === addressNotPublicCode
    ? { kind: "forbidden", why: `${host} has an address that is not public: allow its network with allowNetworks` }
    : { kind: "unanswered", why: `${host} can't be reached (${typeof code === "string" ? code : "unknown error"})` };
}

function inNetworks(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", prefix = ""] = network.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    list.addSubnet(address, Number(prefix), family);
  }
  return (address) => isIP(address) !== 0 && list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}

const own = inNetworks(["127.0.0.0/8", "169.254.0.0/16", "::/96", "::1/128", "fe80::/10", "0.0.0.0/8"]);

function isOfThisMachine(address: string): boolean {
  return own(address);
}
