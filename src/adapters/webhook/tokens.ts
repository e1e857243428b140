import { createLocalJWKSet, createRemoteJWKSet, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from "jose";
import type { TokenTrust } from "#contracts/config/receiver-kinds";
import type { Clock } from "#ports/clock";
import { TransientError } from "#ports/errors";
import type { ReceivedRequest } from "#ports/push-receiver";
import type { Refusal } from "./authentication.ts";

/**
 * Returns the check of `Authorization: Bearer <token>`. The token (RS256) must be unexpired, and have
 * the expected issuer, audience and account. The issuer's keys are fetched once, for the first token.
 *
 * @see https://cloud.google.com/pubsub/docs/authenticate-push-subscriptions
 */
export function tokenCheck(
  trust: TokenTrust,
  clock: Clock,
): (request: Pick<ReceivedRequest, "headers">) => Promise<Refusal> {
  const { audience, issuers, keys } = trust;
  const keySet =
    typeof keys === "string" ? createRemoteJWKSet(new URL(keys)) : createLocalJWKSet(keys as unknown as JSONWebKeySet);
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

/** Checks the account, because anyone can get a token for any audience. */
function refuseAccount({ email, email_verified: isVerified, sub }: JWTPayload, trust: TokenTrust): Refusal {
  if (trust.email !== undefined && (email !== trust.email || isVerified !== true))
    return "the token is not of the account that the receiver expects";
  if (trust.subject !== undefined && sub !== trust.subject)
    return "the token is not of the subject that the receiver expects";
  return undefined;
}

/** An invalid token has its own error code. All other errors are about the keys. */
function refusalOf(error: unknown): Refusal {
  if (error instanceof errors.JWTClaimValidationFailed) return `the token's ${error.claim} is not the one expected`;
  if (error instanceof errors.JWTExpired) return "the token has expired";
  if (error instanceof errors.JOSEError && !["ERR_JOSE_GENERIC", "ERR_JWKS_TIMEOUT"].includes(error.code))
    return "the token is not signed by the issuer";
  throw new TransientError("the keys of the token's issuer could not be read", { cause: error });
}
