import * as z from "zod";
import { principalKey, principalProblem } from "#domain/approval/people";
import { mostApprovals } from "#domain/approval/approval-settings";
import { roleArn } from "./aws.ts";
import { besideOtherFaults, duration, kubernetesName, partsOf, someText, unique } from "./fields.ts";

const aPrincipal = "the ARN of a user or a role, or ROLE/SESSION";
const principal = someText(aPrincipal);

const aHash = "sha256: and 64 hexadecimal digits, as lookout approvals token prints it";

const Person = z
  .strictObject(
    {
      name: kubernetesName.describe("The name of the person in approvers, commands and messages."),
      email: someText("an address")
        .exactOptional()
        .describe("An address of the person. lookout.dev/approved-by may contain the address instead of the name."),
      iam: z
        .union([principal.transform((one) => [one] as readonly string[]), z.array(principal).readonly()], aPrincipal)
        .prefault([])
        .describe(
          "The person's principals on AWS: the ARN of a user or a role, or ROLE/SESSION if the session's name is proved. All users of a role share one vote.",
        ),
      tokenHash: z
        .string(aHash)
        .regex(/^sha256:[0-9a-f]{64}$/, aHash)
        .exactOptional()
        .describe("The hash of the person's token for a local Lookout: lookout approvals token NAME."),
    },
    "a person with a name",
  )
  .readonly();

/** The schema of `people`. No principal and no token may belong to two people. */
export const People = unique(Person, "name", "a list of people").superRefine((people, context) => {
  const first = new Map<string, number>();
  for (const [index, person] of people.entries()) {
    const { iam, tokenHash } = partsOf(person);
    const principals = Array.isArray(iam) ? iam.map(String) : [];
    const keys = [...principals.map(principalKey), ...(typeof tokenHash === "string" ? [tokenHash] : [])];
    for (const key of keys) {
      const earlier = [...first].find(([other]) => isSameCaller(key, other))?.[1];
      if (earlier === undefined) first.set(key, index);
      else
        context.addIssue({
          code: "custom",
          path: [index, key === tokenHash ? "tokenHash" : "iam"],
          message: `also belongs to entry [${earlier}] of this list: one caller can't be two people`,
        });
    }
  }
}, besideOtherFaults);

/**
 * Returns whether two principals match one caller. ROLE/SESSION without an account matches all
 * accounts.
 */
function isSameCaller(one: string, other: string): boolean {
  return one === other || one.endsWith(`:${other}`) || other.endsWith(`:${one}`);
}

const aNamespace = '"NAMESPACE" or "CLUSTER/NAMESPACE"; a "*" at the end stands for any text';

const namespacePattern = z
  .string(aNamespace)
  .regex(/^(?:(?:\*|[a-z0-9][a-z0-9-]{0,62}\*?)\/)?(?:\*|[a-z0-9][a-z0-9-]{0,62}\*?)$/, aNamespace);

const Approver = z
  .strictObject(
    {
      namespaces: z
        .array(namespacePattern, "a list of namespaces")
        .min(1, "at least one namespace")
        .readonly()
        .describe(
          "The namespaces whose updates the listed people decide: NAMESPACE or CLUSTER/NAMESPACE, such as shop-*.",
        ),
      people: z
        .array(kubernetesName, "a list of names")
        .min(1, "at least one name")
        .readonly()
        .describe("The names of the people who may decide. Each name must be in people."),
      needed: z
        .int("a whole number")
        .min(1, "at least 1")
        .max(mostApprovals, `at most ${mostApprovals}`)
        .prefault(1)
        .describe("The number of listed people who must approve an update."),
      deadline: duration.exactOptional().describe("The time that an update waits for approvals. Default: without end."),
      notTheAuthor: z
        .boolean("true or false")
        .prefault(false)
        .describe("If true, one more person must approve, because the image's author may be among the people."),
      required: z
        .boolean("true or false")
        .prefault(false)
        .describe(
          "If true, every update needs approvals. By default, only updates of workloads that ask for approval need them.",
        ),
      byAnnotation: z
        .boolean("true or false")
        .prefault(false)
        .describe("If true, lookout.dev/approved-by counts too, although its author is not proved."),
    },
    "approvers with namespaces and people",
  )
  .readonly();

/** The schema of `approvers`. */
export const Approvers = z.array(Approver, "a list of approvers").readonly();

/** The schema of `namesAreProved`. */
export const NamesAreProved = z.array(roleArn, "a list of roles").readonly();

type Reported = { readonly path: readonly (string | number)[]; readonly message: string };

/**
 * Returns a problem for each entry that its people can't satisfy, and for each unproved principal.
 */
export function approvalProblems(file: Readonly<Record<string, unknown>>): readonly Reported[] {
  const people = listIn(file, "people");
  const known = new Map(people.map((person) => [String(person["name"]), person]));
  const proved = Array.isArray(file["namesAreProved"]) ? file["namesAreProved"].map(String) : [];
  return [
    ...people.flatMap((person, index) => sessionProblems(person, ["people", index, "iam"], proved)),
    ...listIn(file, "approvers").flatMap((entry, index) => entryProblems(entry, ["approvers", index], known)),
  ];
}

function listIn(file: Readonly<Record<string, unknown>>, key: string): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(file[key]) ? file[key].map(partsOf) : [];
}

function sessionProblems(
  { iam }: Readonly<Record<string, unknown>>,
  path: Reported["path"],
  proved: readonly string[],
): readonly Reported[] {
  const principals = Array.isArray(iam) ? iam.map(String) : [];
  return principals.flatMap((one) => {
    const message = principalProblem(one, proved);
    return message === undefined ? [] : [{ path, message }];
  });
}

function entryProblems(
  { people, needed, notTheAuthor, byAnnotation }: Readonly<Record<string, unknown>>,
  path: Reported["path"],
  known: ReadonlyMap<string, Readonly<Record<string, unknown>>>,
): readonly Reported[] {
  const named = Array.isArray(people) ? people.map(String) : [];
  const unknown = named.flatMap((name, index) =>
    known.has(name) ? [] : [{ path: [...path, "people", index], message: "is not the name of a person in people" }],
  );
  if (unknown.length > 0) return unknown;
  const different = [...new Set(named)];
  const able = byAnnotation === true ? different : different.filter((name) => canProve(known.get(name) ?? {}));
  const needs = Number(needed ?? 1) + (notTheAuthor === true ? 1 : 0);
  if (able.length >= needs) return [];
  const because = notTheAuthor === true ? ", because the author of an image may be one of them" : "";
  const unable = different.filter((name) => !able.includes(name));
  const without = unable.length === 0 ? "" : `; without iam or tokenHash: ${unable.join(", ")}`;
  return [
    {
      path: [...path, "people"],
      message: `has too few people: ${needs} must approve${because}, and ${able.length} can${without}`,
    },
  ];
}

/** Returns whether a person can vote by a request. Such a vote needs a principal or a token. */
function canProve({ iam, tokenHash }: Readonly<Record<string, unknown>>): boolean {
  return (Array.isArray(iam) && iam.length > 0) || tokenHash !== undefined;
}
