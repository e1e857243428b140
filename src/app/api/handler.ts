import type { Answer, ApiOperation, Asked } from "#contracts/api/operation";
import type { ProblemMembers } from "#contracts/api/schema";
import type { RefusalCode } from "#contracts/refusals";
import type { Credential } from "#domain/approval/people";
import type { Ports } from "../shared/ports.ts";

/** The input of a handler besides the request. */
export interface Served {
  readonly ports: Ports;
  readonly signal: AbortSignal;
  /** A random id for the command or item that this request creates. */
  readonly id: string;
  /** Returns the authenticated caller; without one, the caller that the request claims. */
  readonly by: (claimed: string) => string;
  /** What the request proves about its sender. */
  readonly credential: Credential;
}

/** Why a request is refused. Nothing was changed. */
export interface ApiError {
  readonly kind: RefusalCode;
  /** The fault of this request, for users. */
  readonly detail: string;
  /** The current state. */
  readonly now?: ProblemMembers;
}

/** Returns the response to a request for one path. */
export type Handler<Operation extends ApiOperation> = (
  asked: Asked<Operation>,
) => Answer<Operation> | ApiError | Promise<Answer<Operation> | ApiError>;

/** The handlers of a topic, by `operationId`: one for each of its operations. */
export type Handlers<Operations extends Readonly<Record<string, ApiOperation>>> = {
  readonly [Name in keyof Operations]: Handler<Operations[Name]>;
};

/** Refuses a request for something that does not exist. */
export function notFound(detail: string): ApiError {
  return { kind: "not-found", detail };
}

/** Refuses a request for a cluster that the configuration does not name. */
export function unknownCluster(name: string): ApiError {
  return notFound(`no cluster is called ${name}`);
}
