import type { Answer } from "#ports/channels";
import type { PostAnswer } from "#ports/post";
import { answerOf } from "../answers.ts";

/** What to do after an error of SNS. Other errors are read by their status. */
const meanings: readonly (readonly [RegExp, Exclude<Answer["kind"], "told" | "gone">])[] = [
  [/^(Throttl|KMSThrottling|Internal|ServiceUnavailable|RequestExpired|ExpiredToken|RequestTimeTooSkewed)/, "later"],
  [/^(InvalidParameter|ParameterValueInvalid|Validation)/, "refused"],
  [/^(Authorization|AccessDenied|NotFound|InvalidSecurity|InvalidClientTokenId|MissingAuthenticationToken)/, "off"],
  [/^(SignatureDoesNotMatch|IncompleteSignature|UnrecognizedClient|OptInRequired|EndpointDisabled|KMS)/, "off"],
];

/** Returns what an answer of SNS means. */
export function meaningOf(answer: PostAnswer): Answer {
  const other = answerOf(answer);
  if (answer.kind !== "answered" || answer.status < 300) return other;
  const code = /<Code>([A-Za-z.]{1,80})<\/Code>/.exec(answer.body)?.[1];
  const kind = code && meanings.find(([codes]) => codes.test(code))?.[1];
  if (!code || !kind) return other;
  const remedies = { later: "", refused: "", off: ": check the topic, its policy and the rights of Lookout" };
  return { kind, why: `SNS answered ${code}${remedies[kind]}` };
}
