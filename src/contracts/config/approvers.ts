import * as z from "zod";
import { canProve, principalKey, principalProblem, provedRoles, spellingKey } from "#domain/approval/people";
import { peopleNeeded } from "#domain/approval/votes";
import { mostApprovals } from "#domain/approval/approval-settings";
import { roleArn } from "./aws.ts";
import { besideOtherFaults, duration, kubernetesName, namespacePattern, partsOf, someText, unique } from "./fields.ts";

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
      token: kubernetesName
        .exactOptional()
        .describe(
          "The name of the person's token on a local Lookout: lookout token create NAME. Whoever may create tokens can vote as this person.",
        ),
    },
    "a person with a name",
  )
  .readonly();

/** The schema of `people`. No caller and no address may belong to two people. */
export const People = unique(Person, "name", "a list of people").superRefine((people, context) => {
  const parts = people.map(partsOf);
  for (const { path, message } of [...sharedCallers(parts), ...sharedAddresses(parts)])
    context.addIssue({ code: "custom", path: [...path], message });
}, besideOtherFaults);

type Parts = ReturnType<typeof partsOf>;

type Reported = { readonly path: readonly (string | number)[]; readonly message: string };

/** Returns a problem for each principal and token that also belongs to an earlier person. */
function sharedCallers(people: readonly Parts[]): readonly Reported[] {
  const first = new Map<string, number>();
  return people.flatMap(({ iam, tokenHash, token }, index) => {
    const callers = [
      ...listOf(iam).map((one) => ({ part: "iam", ...callerKeys(principalKey(String(one))) })),
      ...(typeof tokenHash === "string" ? [{ part: "tokenHash", own: [tokenHash], others: [tokenHash] }] : []),
      ...(typeof token === "string" ? [{ part: "token", own: [`token:${token}`], others: [`token:${token}`] }] : []),
    ];
    return callers.flatMap(({ part, own, others }) => {
      const earlier = others.map((key) => first.get(key)).find((one) => one !== undefined);
      for (const key of own) if (!first.has(key)) first.set(key, index);
      if (earlier === undefined || earlier === index) return [];
      const message = `also belongs to entry [${earlier}] of this list: one caller can't be two people`;
      return [{ path: [index, part], message }];
    });
  });
}

/**
 * Returns the keys under which a principal is found, and the keys of the principals that match the
 * same caller. ROLE/SESSION without an account matches all accounts.
 */
function callerKeys(key: string): { readonly own: readonly string[]; readonly others: readonly string[] } {
  const ofAccount = /^\d{12}:(session\/.*)$/s.exec(key)?.[1];
  if (ofAccount === undefined) return { own: [key], others: [key, `any:${key}`] };
  return { own: [key, `any:${ofAccount}`], others: [key, ofAccount] };
}

/** Returns a problem for each email address that is also the name or the address of another person. */
function sharedAddresses(people: readonly Parts[]): readonly Reported[] {
  const first = new Map<string, { readonly index: number; readonly what: string }>();
  const claim = (text: unknown, index: number, what: string): readonly Reported[] => {
    if (typeof text !== "string") return [];
    const key = spellingKey(text);
    const earlier = first.get(key) ?? { index, what };
    first.set(key, earlier);
    if (earlier.index === index) return [];
    const message = `is also the ${earlier.what} of entry [${earlier.index}] of this list: one address can't mean two people`;
    return [{ path: [index, what], message }];
  };
  // The names come first, because an address may not be the name of a later person either.
  for (const [index, { name }] of people.entries()) claim(name, index, "name");
  return people.flatMap(({ email }, index) => claim(email, index, "email"));
}

/** The JSON Schema of an entry: an annotation proves nobody, so it is no approval of a second person. */
const onePersonByAnnotation = {
  if: { properties: { byAnnotation: { const: true } }, required: ["byAnnotation"] },
  then: { properties: { needed: { maximum: 1 }, notTheAuthor: { const: false } } },
};

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
        .describe(
          "If true, lookout.dev/approved-by counts too, although its author is not proved. Not where more than one person must approve.",
        ),
    },
    "approvers with namespaces and people",
  )
  .meta(onePersonByAnnotation)
  .readonly();

/** The schema of `approvers`. */
export const Approvers = z.array(Approver, "a list of approvers").readonly();

/** The schema of `owners`. */
export const Owners = z.array(kubernetesName, "a list of names").readonly();

/** The schema of `namesAreProved`. */
export const NamesAreProved = z.array(roleArn, "a list of roles").readonly();

/**
 * Returns a problem for each entry that its people can't satisfy, and for each unproved principal.
 */
export function approvalProblems(file: Parts): readonly Reported[] {
  const people = listIn(file, "people");
  const known = new Map(people.map((person) => [String(person["name"]), person]));
  const proved = provedRoles(listOf(file["namesAreProved"]).map(String));
  return [
    ...people.flatMap((person, index) => sessionProblems(person, ["people", index, "iam"], proved)),
    ...listIn(file, "approvers").flatMap((entry, index) => entryProblems(entry, ["approvers", index], known)),
    ...listOf(file["owners"]).flatMap((name, index) => ownerProblems(String(name), ["owners", index], known)),
  ];
}

function listIn(file: Parts, key: string): readonly Parts[] {
  return Array.isArray(file[key]) ? file[key].map(partsOf) : [];
}

function sessionProblems({ iam }: Parts, path: Reported["path"], proved: ReadonlySet<string>): readonly Reported[] {
  return listOf(iam).flatMap((one) => {
    const message = principalProblem(String(one), proved);
    return message === undefined ? [] : [{ path, message }];
  });
}

function ownerProblems(name: string, path: Reported["path"], known: ReadonlyMap<string, Parts>): readonly Reported[] {
  const person = known.get(name);
  if (person === undefined) return [{ path, message: "is not the name of a person in people" }];
  return isAble(person) ? [] : [{ path, message: "is a person without iam, tokenHash or token, whom nothing proves" }];
}

function entryProblems(
  { people, needed, notTheAuthor, byAnnotation }: Parts,
  path: Reported["path"],
  known: ReadonlyMap<string, Parts>,
): readonly Reported[] {
  const named = Array.isArray(people) ? people.map(String) : [];
  const unknown = named.flatMap((name, index) =>
    known.has(name) ? [] : [{ path: [...path, "people", index], message: "is not the name of a person in people" }],
  );
  if (unknown.length > 0) return unknown;
  const needs = peopleNeeded({ needed: Number(needed ?? 1), notTheAuthor: notTheAuthor === true });
  if (byAnnotation === true && needs > 1) {
    const message = `can't be true where ${needs} people must approve: an annotation proves nobody. Remove byAnnotation, or let one person approve: needed: 1 without notTheAuthor`;
    return [{ path: [...path, "byAnnotation"], message }];
  }
  const different = [...new Set(named)];
  const able = byAnnotation === true ? different : different.filter((name) => isAble(known.get(name) ?? {}));
  if (able.length >= needs) return [];
  const because = notTheAuthor === true ? ", because the author of an image may be one of them" : "";
  const unable = different.filter((name) => !able.includes(name));
  const shown = [...unable.slice(0, 10), ...(unable.length > 10 ? ["…"] : [])].join(", ");
  const without = unable.length === 0 ? "" : `; without iam, tokenHash or token: ${shown}`;
  return [
    {
      path: [...path, "people"],
      message: `has too few people: ${needs} must approve${because}, and ${able.length} can${without}`,
    },
  ];
}

function isAble({ iam, tokenHash, token }: Parts): boolean {
  return canProve({
    iam: listOf(iam).map(String),
    ...(typeof tokenHash === "string" && { tokenHash }),
    ...(typeof token === "string" && { token }),
  });
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
