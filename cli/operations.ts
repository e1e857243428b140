import type { Answer, Sent } from "#contracts/api/operation";
import type { Endpoints, Operations } from "#contracts/api/operations";
import { isObject } from "#domain/shared/json";
import { endpoints } from "./endpoints.ts";
import { exitCodes, Failure } from "./failure.ts";

/** An operation whose answer is JSON. */
export type OperationName = Exclude<keyof Operations, "followFacts" | "backUpState">;
/** The params, the query, the headers and the body of a request. */
export type PartsOf<Name extends OperationName> = Sent<Operations[Name]>;
/** The body of an operation's answer. */
export type AnswerOf<Name extends OperationName> = Answer<Operations[Name]>;

/** The parts of any operation's request. */
export interface RequestParts {
  readonly params?: Values;
  readonly query?: Values;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

type Values = Readonly<Record<string, string | number | undefined>>;

/**
 * Returns whether an answer is from Lookout. Lookout may be newer than the command, so other
 * members are allowed.
 */
export function isAnswerOf<Name extends OperationName>(name: Name, answer: unknown): answer is AnswerOf<Name> {
  return isObject(answer) && endpoints[name].members.every((member) => member in answer);
}

/** Returns the path and the query of a request. */
export function pathOf(name: keyof Endpoints, { params = {}, query = {} }: RequestParts = {}): string {
  const path = endpoints[name].path.replaceAll(/\{(\w+)\}/g, (_, param: string) => encodeParam(param, params[param]));
  const pairs = Object.entries(query).flatMap(([key, value]) => (value === undefined ? [] : `${key}=${encode(value)}`));
  return pairs.length === 0 ? path : `${path}?${pairs.join("&")}`;
}

/** Encodes a parameter of a path. The slash of a scope stays, because API Gateway decodes paths. */
function encodeParam(name: string, value: string | number = ""): string {
  return name === "scope" ? String(value).split("/").map(encodeSegment).join("/") : encodeSegment(value);
}

/** @throws Failure for `.` and `..`, which every client takes out of a path. */
function encodeSegment(value: string | number): string {
  if (value === "." || value === "..") throw new Failure(exitCodes.wrongInput, `"${value}" is not a name.`);
  return encode(value);
}

/** Encodes a value for a URL. Stars are encoded, as AWS signatures require. */
function encode(value: string | number): string {
  return encodeURIComponent(value).replaceAll("*", "%2A");
}
