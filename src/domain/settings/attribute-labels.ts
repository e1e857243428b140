import { listed, type ReadValue } from "../annotations/setting-values.ts";
import { nameable } from "../policy/attributes.ts";
import { didYouMean, nearest } from "../shared/nearest.ts";
import { ok, problem } from "../shared/result.ts";

/** A label of the pods, and the attribute of the image that it shows. */
export interface AttributeLabel {
  /** The key behind the prefix of these labels. */
  readonly key: string;
  readonly attribute: string;
}

const mostLabels = 10;
const form = "expected labels such as version=tag,pr";
/** @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set */
const labelKey = /^[a-z0-9](?:[\w.-]{0,61}[a-z0-9])?$/i;

/** Parses labels, separated by commas: `version=tag` or `pr`, which is short for `pr=pr`. */
export const readAttributeLabels: ReadValue<readonly AttributeLabel[]> = (text) => {
  const labels = listed(text).map((entry): AttributeLabel => {
    const [key = "", ...rest] = entry.split("=").map((part) => part.trim());
    return { key, attribute: rest.length === 0 ? key : rest.join("=") };
  });
  if (labels.length === 0) return problem(form);
  if (labels.length > mostLabels) return problem(`${labels.length} labels, and at most ${mostLabels} are allowed`);
  const wrong = labels.find(({ key }) => !labelKey.test(key));
  if (wrong !== undefined) return problem(`${quoted(wrong.key)} is no name of a label: ${form}`);
  const nameless = labels.find(({ attribute }) => attribute === "");
  if (nameless !== undefined) return problem(`${quoted(nameless.key)} names no attribute: ${form}`);
  const keys = labels.map(({ key }) => key);
  const twice = keys.find((key, index) => keys.indexOf(key) !== index);
  return twice === undefined ? ok(labels) : problem(`${quoted(twice)} is named twice: name each label once`);
};

/**
 * Returns the problem of labels, or undefined without one. An unknown attribute is a problem that
 * names the known ones.
 *
 * @param rules - the policies of the containers that the setting concerns.
 */
export function whyNoAttributeLabels(
  text: string,
  rules: readonly Parameters<typeof nameable>[0][],
): string | undefined {
  const read = readAttributeLabels(text);
  if (!read.ok) return read.problem;
  if (rules.length === 0) return "has no effect: no container that it concerns is tracked";
  const known = [...new Set(rules.flatMap(nameable))];
  const unknown = read.value.find(({ attribute }) => !known.includes(attribute));
  if (unknown === undefined) return undefined;
  const meant = didYouMean(nearest(unknown.attribute, known));
  return `${quoted(unknown.attribute)} is no attribute of the image: expected one of ${known.join(", ")}${meant}`;
}

function quoted(text: string): string {
  return `"${text.slice(0, 80)}"`;
}
