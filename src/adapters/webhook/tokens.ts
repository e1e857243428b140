import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  type FetchImplementation,
  type JSONWebKeySet,
  type JWTPayload,
  jwtVerify,
} from "jose";
import type { TokenTrust } from "#contracts/config/receiver-kinds";
import type { Clock } from "#ports/clock";
import { TransientError } from "#ports/errors";
import type { ReceivedRequest } from "#ports/push-receiver";
import { readUpTo } from "../shared/bounded-body.ts";

/**
 * Returns the check of `Authorization: Bearer <token>`. The token (RS256) must be unexpired, and
 * have the expected issuer, audience and account. Lookout fetches the issuer's keys for the first
 * token and for an unknown key, and only from the configured address. It fetches them again at the
 * earliest after 30 s, or 10 s after a failure.
 *
 * @see https://cloud.google.com/pubsub/docs/authenticate-push-subscriptions
 */
export function tokenCheck(
  trust: TokenTrust,
  clock: Clock,
): (request: Pick<ReceivedRequest, "headers">) => Promise<string | undefined> {
  const { audience, issuers, keys } = trust;
  const keySet =
    typeof keys === "string"
      ? createRemoteJWKSet(new URL(keys), { [customFetch]: keyFetch(clock) })
      : createLocalJWKSet(keys as unknown as JSONWebKeySet);
  return async ({ headers }) => {
    const header = headers["authorization"];
    if (header === undefined) return "the Authorization header is missing";
    const [, token] = /^bearer +([\w.-]+)$/i.exec(header) ?? [];
    if (token === undefined) return "the Authorization header is not of the form Bearer <token>";
    const options = { issuer: [...issuers], audience, algorithms: ["RS256"], requiredClaims: ["exp"] };
    try {
      const { payload } = await jwtVerify(token, keySet, { ...options, currentDate: new Date(clock.now()) });
      return refuseAccount(payload, trust);
    } catch (error) {
      return refusalOf(error);
    }
  };
}

/** The maximum bytes of an issuer's keys. The keys of Google and GitHub are at most 10 kB. */
const mostKeyBytes = 262_144;

/**
 * The pause of requests to the issuer after a failure. Without this pause, anyone could cause
 * requests to the issuer by sending tokens.
 */
const failedKeysMs = 10_000;

function keyFetch(clock: Clock): FetchImplementation {
  let failedAt = -Infinity;
  return async (url, options) => {
    if (clock.now() < failedAt + failedKeysMs) throw new TransientError("the issuer has just failed to answer");
    try {
      const response = await fetch(url, options);
      return new Response(await boundedText(response), { status: response.status });
    } catch (error) {
      failedAt = clock.now();
      throw error;
    }
  };
}

async function boundedText(response: Response): Promise<string> {
  const content = response.body === null ? Buffer.alloc(0) : await readUpTo(mostKeyBytes, response.body);
  if (content === undefined) throw new TransientError(`the issuer's keys are over ${mostKeyBytes} bytes`);
  if (response.status !== 200) throw new TransientError(`the issuer answers ${response.status}`);
  return content.toString();
}

/**
 * Returns why the account or subject of a token is rejected. The audience alone proves nothing,
 * because anyone can get a token for any audience.
 */
function refuseAccount({ email, email_verified: isVerified, sub }: JWTPayload, trust: TokenTrust): string | undefined {
  if (trust.email !== undefined && (email !== trust.email || isVerified !== true))
    return "the token's account is not the expected account";
  if (trust.subject !== undefined && sub !== trust.subject) return "the token's subject is not the expected subject";
  return undefined;
}

/** Returns why a token is invalid. Throws for errors about the issuer's keys. */
function refusalOf(error: unknown): string | undefined {
  if (error instanceof errors.JWTClaimValidationFailed) return `the token's ${error.claim} is not the expected value`;
  if (error instanceof errors.JWTExpired) return "the token has expired";
  if (
    error instanceof errors.JOSEError &&
    !["ERR_JOSE_GENERIC", "ERR_JWKS_TIMEOUT", "ERR_JWKS_INVALID"].includes(error.code)
  )
    return "the token is not signed by the issuer";
  throw new TransientError("the keys of the token's issuer could not be read", { cause: error });
}
