import type { Answer, ApiOperation, Asked } from "#contracts/api/operation";
import type { ProblemMembers } from "#contracts/api/schema";
import type { RefusalCode } from "#contracts/refusals";
import type { Access } from "#domain/access/access";
import type { Credential } from "#domain/approval/people";
import type { Ports } from "../shared/ports.ts";

/** The input of every handler besides the request. */
export interface Served {
  /** The ports through which the caller sees only its scope. */
  readonly ports: Ports;
  /** The ports of Lookout itself, for work that concerns other scopes too. */
  readonly allPorts: Ports;
  readonly signal: AbortSignal;
  /** A random id for the command or item that this request creates. */
  readonly id: string;
  /** Returns a new random text of 43 characters of base64url. */
  readonly secret: () => string;
  /**
   * Returns the authenticated caller, or without authentication the caller that the request names.
   */
  readonly by: (claimed: string) => string;
  /** The credential that the request proves. */
  readonly credential: Credential;
  /** The rights of the caller. */
  readonly access: Access;
}

/** The refusal of a request, which changed nothing. */
export interface ApiError {
  readonly kind: RefusalCode;
  /** The cause of the refusal, for users. */
  readonly detail: string;
  /** The present state of the workload. */
  readonly now?: ProblemMembers;
}

/** A function that answers the requests for one operation. */
export type Handler<Operation extends ApiOperation> = (
  asked: Asked<Operation>,
) => Answer<Operation> | ApiError | Promise<Answer<Operation> | ApiError>;

/** The handlers of a topic, by `operationId`. */
export type Handlers<Operations extends Readonly<Record<string, ApiOperation>>> = {
  readonly [Name in keyof Operations]: Handler<Operations[Name]>;
};

/** Returns the refusal of a request for something that does not exist. */
export function notFound(detail: string): ApiError {
  return { kind: "not-found", detail };
}

/** Returns the refusal of a request for a cluster that the configuration does not name. */
export function unknownCluster(name: string): ApiError {
  return notFound(`no cluster is called ${name}`);
}
