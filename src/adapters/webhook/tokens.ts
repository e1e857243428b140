import { createLocalJWKSet, createRemoteJWKSet, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from "jose";
import type { TokenTrust } from "#contracts/config/receiver-kinds";
import type { Clock } from "#ports/clock";
import { TransientError } from "#ports/errors";
import type { ReceivedRequest } from "#ports/push-receiver";
import type { Refusal } from "./authentication.ts";

/**
 * Makes the check of `Authorization: Bearer <token>`, where the token (RS256) must be of the issuer, for the audience, not expired, and of
 * the account that is expected. The keys are fetched when the first token comes, and kept.
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

/** Anybody may have a token made for any audience: only whose it is tells senders apart. */
function refuseAccount({ email, email_verified: isVerified, sub }: JWTPayload, trust: TokenTrust): Refusal {
  if (trust.email !== undefined && (email !== trust.email || isVerified !== true))
    return "the token is not of the account that the receiver expects";
  if (trust.subject !== undefined && sub !== trust.subject)
    return "the token is not of the subject that the receiver expects";
  return undefined;
}

/** What is wrong with a token has a code of its own; all else is that the keys could not be had. */
function refusalOf(error: unknown): Refusal {
  if (error instanceof errors.JWTClaimValidationFailed) return `the token's ${error.claim} is not the one expected`;
  if (error instanceof errors.JWTExpired) return "the token has expired";
  if (error instanceof errors.JOSEError && !["ERR_JOSE_GENERIC", "ERR_JWKS_TIMEOUT"].includes(error.code))
    return "the token is not signed by the issuer";
  throw new TransientError("the keys of the token's issuer could not be had", { cause: error });
}
