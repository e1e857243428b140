import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { clusterManifests, definitionManifests } from "#cli/manifests/cluster-manifests";
import type { CustomKindSpec } from "#domain/workload/custom/kind";
import { readyKinds } from "#domain/workload/custom/ready-rows";
import type { ClusterManifest } from "#cli/manifests/admission-policy";
import { manifestsText } from "#cli/render/manifests";

/** The template with the definitions of kinds in the Helm chart. */
export const chartDefinitionsFile = fileURLToPath(
  new URL("../deploy/chart/templates/definitions.yaml", import.meta.url),
);

/** The template with Lookout's rights in the Helm chart. */
export const chartRightsFile = fileURLToPath(new URL("../deploy/chart/templates/rights.yaml", import.meta.url));

const namespace = "namespace-of-release";
const account = "account-of-release";
const subjects = [{ kind: "ServiceAccount", namespace, name: account }] as const;

/** Stands for each kind of `config.kinds`, whose pod template is at `spec.template`. */
const anyKind: CustomKindSpec = {
  ...readyKinds["clone-sets"],
  group: "group-of-kind",
  plural: "plural-of-kind",
  annotationsOfOperator: ["annotation-of-kind"],
};

/** The lines that read `config.kinds`. Each kind has a group, a plural, and annotations of its operator. */
const kindsOfConfig = `{{- $ready := \`${JSON.stringify(readyParts())}\` | fromJson }}
{{- $kinds := list }}
{{- range .Values.config.kinds }}
{{- $name := "^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$" }}
{{- if and (kindIs "string" .) (hasKey $ready (toString .)) }}
{{- $kinds = append $kinds (get $ready .) }}
{{- else if and (kindIs "map" .) (eq (toString (dig "template" "" .)) "spec.template") (regexMatch $name (toString (dig "group" "" .))) (regexMatch $name (toString (dig "plural" "" .))) }}
{{- $kinds = append $kinds (dict "group" .group "plural" .plural "annotations" list) }}
{{- else }}
{{- fail (printf "config.kinds: the chart has no rights for %s: set rights.create=false, and apply: npx lookout cluster manifests --config lookout.yaml --service-account %s/%s" (toJson .) $.Release.Namespace (include "lookout.serviceAccountName" $)) }}
{{- end }}
{{- end }}
`;

/** Returns the parts of the ready rows that rights need. All have their pod template at `spec.template`. */
function readyParts(): object {
  return Object.fromEntries(
    Object.entries(readyKinds).map(([name, { group, plural, images, annotationsOfOperator: annotations }]) => {
      if (images.path.join(".") !== "spec.template") throw new Error(`the template of ${name} is at another place`);
      return [name, { group, plural, annotations }];
    }),
  );
}

/** Returns a template with the rights of {@link anyKind} for each kind. */
function forEachKind(text: string): string {
  const each = (part: string): string => `{{ range $kinds }}${part}{{ end }}`;
  const { group, plural, annotationsOfOperator: annotations } = anyKind;
  const parts: readonly (readonly [one: string, all: string])[] = [
    [
      `  - apiGroups: [${group}]\n    resources: [${plural}]\n    verbs: [get, list, watch, patch]\n`,
      `{{- range $kinds }}\n  - apiGroups: [{{ .group | quote }}]\n    resources: [{{ .plural | quote }}]\n    verbs: [get, list, watch, patch]\n{{- end }}\n`,
    ],
    [`,${JSON.stringify([group, plural])}`, each(`,["{{ .group }}","{{ .plural }}"]`)],
    [`, ${plural}.${group}`, each(", {{ .plural }}.{{ .group }}")],
    [` || k == '${annotations.join()}'`, each("{{ range .annotations }} || k == '{{ . }}'{{ end }}")],
  ];
  const replaced = parts.reduce((done, [one, all]) => done.replaceAll(one, all), text);
  if (/of-kind\b/.test(replaced)) throw new Error("the rights of a kind are at a place that the chart does not know");
  return replaced;
}

type Choice = "deletePods" | "readNodes" | "definitions";
type Choices = Readonly<Record<Choice, boolean>>;

const none: Choices = { deletePods: false, readNodes: false, definitions: false };

/** The values of the chart that decide. */
const values: Readonly<Record<Choice, string>> = {
  deletePods: ".Values.rights.deletePods",
  readNodes: ".Values.rights.readNodes",
  definitions: ".Values.definitions",
};

/** Returns the chart's template with the objects that `lookout cluster manifests` prints. */
export async function chartRightsText(): Promise<string> {
  const role = await roleText(none);
  const rules = await Promise.all(
    Object.keys(values).map(async (name) => {
      const choice = name as Choice;
      return added(role, await roleText({ ...none, [choice]: true }), choice);
    }),
  );
  const documents = [
    role + rules.join(""),
    ...(await Promise.all(rights(none).others.map((_, index) => chosen(["definitions", "deletePods"], index)))),
  ];
  const text = documents.join("---\n");
  return `{{- /* npm run generate writes this file: the objects of \`lookout cluster manifests\`. */}}
{{- if .Values.rights.create }}
${kindsOfConfig}${forEachKind(text)
    .replaceAll(`: ${namespace}\n`, ": {{ .Release.Namespace | quote }}\n")
    .replaceAll(`: ${account}\n`, `: {{ include "lookout.serviceAccountName" . | quote }}\n`)
    .replaceAll(namespace, "{{ .Release.Namespace }}")
    .replaceAll(account, `{{ include "lookout.serviceAccountName" . }}`)}{{- end }}
`;
}

/** Returns the chart's template with the definitions of kinds. They stay after `helm uninstall`, with their objects. */
export async function chartDefinitionsText(): Promise<string> {
  const kept = definitionManifests().map(({ object }) => ({
    about: [],
    object: {
      ...object,
      metadata: { ...(object["metadata"] as object), annotations: { "helm.sh/resource-policy": "keep" } },
    },
  }));
  return `{{- /* npm run generate writes this file: the definitions of \`lookout cluster manifests --definitions\`. */}}
{{- if .Values.definitions }}
${await manifestsText(kept)}{{- end }}
`;
}

/** Returns the role, and the objects after it. The chart has a template of its own for the account. */
function rights(choices: Choices): {
  readonly role: ClusterManifest | undefined;
  readonly others: readonly ClusterManifest[];
} {
  const manifests = clusterManifests({ subjects, kinds: [anyKind], ...choices });
  const [role, ...others] = manifests.slice(manifests.findIndex(({ object }) => object["kind"] === "ClusterRole"));
  return { role, others };
}

function roleText(choices: Choices): Promise<string> {
  return textOf(rights(choices).role);
}

/** Returns a manifest without its comment, which would be about one of the choices. */
async function textOf(manifest: ClusterManifest | undefined): Promise<string> {
  return manifest === undefined ? "" : manifestsText([{ about: [], object: manifest.object }]);
}

/** Returns the lines that a choice adds at the end of an object. */
function added(without: string, chosen: string, choice: Choice): string {
  if (!chosen.startsWith(without)) throw new Error(`${choice} changes the role, instead of adding rules at its end`);
  return inCase(choice, chosen.slice(without.length));
}

/** Returns an object after the role, with its lines for each combination of choices. */
async function chosen(choices: readonly Choice[], index: number): Promise<string> {
  return cases(choices, none, async (made) => (await textOf(rights(made).others[index])).split(/(?<=\n)/));
}

/** Returns the lines that all combinations share, with the different ones between them under conditions. */
async function cases(
  choices: readonly Choice[],
  made: Choices,
  linesOf: (made: Choices) => Promise<readonly string[]>,
): Promise<string> {
  const [choice, ...rest] = choices;
  if (choice === undefined) return (await linesOf(made)).join("");
  const all = await Promise.all(combinations(choices, made).map(linesOf));
  const [first = []] = all;
  const start = alike(all);
  if (all.every(({ length }) => length === first.length) && start === first.length) return first.join("");
  const end = alike(all.map((lines) => lines.slice(start).toReversed()));
  const middle = (isMade: boolean): Promise<string> =>
    cases(rest, { ...made, [choice]: isMade }, async (one) => {
      const lines = await linesOf(one);
      return lines.slice(start, lines.length - end);
    });
  const [then, otherwise] = await Promise.all([middle(true), middle(false)]);
  const between = then === otherwise ? then : inCase(choice, then, otherwise);
  return first.slice(0, start).join("") + between + first.slice(first.length - end).join("");
}

function combinations([choice, ...rest]: readonly Choice[], made: Choices): readonly Choices[] {
  if (choice === undefined) return [made];
  return [true, false].flatMap((isMade) => combinations(rest, { ...made, [choice]: isMade }));
}

/** Returns the number of lines at the start that are the same in all texts. */
function alike(all: readonly (readonly string[])[]): number {
  const [first = []] = all;
  const different = first.findIndex((line, index) => all.some((lines) => lines[index] !== line));
  return different < 0 ? Math.min(...all.map(({ length }) => length)) : different;
}

function inCase(choice: Choice, then: string, otherwise?: string): string {
  const other = otherwise === undefined ? "" : `{{- else }}\n${otherwise}`;
  return `{{- if ${values[choice]} }}\n${then}${other}{{- end }}\n`;
}

if (import.meta.main) {
  await writeFile(chartRightsFile, await chartRightsText());
  await writeFile(chartDefinitionsFile, await chartDefinitionsText());
}
